import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { CommandLine, decimal, oneArgument, oneOf, runCommand, type Streams } from '../command-line';
import { IsDatabaseUrl, loadConfig, Secret, type Environment } from '../config';

class RebuildConfig {
  @Secret()
  @IsDatabaseUrl('the postgres:// address of the service')
  DATABASE_URL!: string;
}

/** A subscription whose tables are made of its events. */
interface RebuildProgram {
  /** `<app>`, or `<app>.<stream>`. */
  subscription: string;
  /** The keys of its events, in the plural. */
  aggregates: string;
}

/** The app of a subscription, as its scripts and its file of settings are named. */
function serviceOf({ subscription }: RebuildProgram): string {
  return subscription.split('.')[0]!;
}

interface Wanted {
  program: RebuildProgram;
  withinSeconds: number;
}

const commandOf = (programs: readonly RebuildProgram[]) => {
  const subscriptions = programs.map(({ subscription }) => subscription);
  return new CommandLine({
    call: 'npm run events:rebuild',
    about: `Rebuilds the tables that a subscription makes of its events from the first event: the running worker empties them in one
transaction, reads the stream from offset 0, and ends with the same totals. Nothing has to be stopped; until it is done
the answers are those of the part that is read.`,
    usage: [`npm run events:rebuild -- <subscription>     ${subscriptions.join(' or ')}`],
    options: {
      within: decimal({
        help: 'how long to wait for a worker, at first and whenever it falls silent',
        placeholder: 's',
        from: 0.001,
        to: 1_000_000,
        fallback: 60,
        must: 'be a number of seconds',
      }),
    },
    environment: { DATABASE_URL: 'database of that service; of a local run: set -a; . .data/<service>.env' },
    ends: `It ends with 0 when everything is read, with 1 when some of it is parked (npm run events:replay -- <subscription>), with 2
when no worker did it.`,
    takesArguments: true,
    read: ({ within: withinSeconds }, given): Wanted => {
      const name = oneArgument(given, { missing: 'Name one subscription', more: 'One subscription at a time' });
      oneOf(subscriptions, name, 'the subscription');
      return { program: programs.find(({ subscription }) => subscription === name)!, withinSeconds };
    },
  });
};

/**
 * The command line of a rebuild: `<subscription> [--within <s>]`.
 * @param programs the subscriptions that it can rebuild
 * @returns the exit code
 */
export async function runRebuild(
  programs: readonly RebuildProgram[],
  args: string[],
  env: Environment,
  streams: Streams,
): Promise<number> {
  const rebuildAll = async (wanted: Wanted, { out, err }: Streams): Promise<0 | 1> => {
    const { program, withinSeconds } = wanted;
    const { subscription, aggregates } = program;
    const { DATABASE_URL: connectionString } = loadConfig(RebuildConfig, env);
    const database = new Client({ connectionString, connectionTimeoutMillis: 2_000, query_timeout: 4_000 });
    await database.connect().catch((cause: Error) => {
      throw new Error(`The database of ${serviceOf(program)} cannot be reached: ${cause.message}`, { cause });
    });
    try {
      const report = (line: string): void => out(`  ${line}\n`);
      const { applied, parked } = await rebuild(database, { program, withinSeconds, report });
      out(`Rebuilt from ${applied} events.\n`);
      if (parked === 0) return 0;
      err(
        `${parked} ${aggregates} wait behind an event that cannot be applied: npm run events:replay -- ${subscription} --list\n`,
      );
      return 1;
    } finally {
      await database.end();
    }
  };
  return runCommand(commandOf(programs), args, streams, rebuildAll, { badUsage: 2, failed: 2 });
}

const LOOK_EVERY_MS = 500;

const LOOK = `
  SELECT r.rewound_at IS NOT NULL AS begun, p.applied::float8 AS applied, p.unread::float8 AS unread,
    p.checked_at > r.rewound_at AND p.unread = 0 AS done,
    extract(epoch FROM now() - greatest(p.checked_at, r.rewound_at))::float8 AS "silentSeconds",
    (SELECT count(DISTINCT aggregate)::integer FROM parked WHERE consumer = r.subscription) AS parked
  FROM rebuilds r JOIN progress p USING (subscription) WHERE r.id = $1`;

interface Look {
  begun: boolean;
  applied: number;
  unread: number;
  done: boolean | null;
  silentSeconds: number | null;
  parked: number;
}

interface RebuildOptions {
  program: RebuildProgram;
  /** How long to wait for a worker, at the beginning and whenever it falls silent. */
  withinSeconds: number;
  report: (line: string) => void;
}

/** No worker took the request, or it fell silent. The request stays open. */
class NoWorker extends Error {}

/**
 * Asks the running worker to rebuild the projection, and follows it to the end of the stream.
 * @returns how many events are applied, and how many aggregates wait behind an event that cannot be
 * @throws NoWorker
 */
async function rebuild(
  database: Client,
  { program, withinSeconds, report }: RebuildOptions,
): Promise<{ applied: number; parked: number }> {
  const request = await database.query<{ id: string }>('INSERT INTO rebuilds (subscription) VALUES ($1) RETURNING id', [
    program.subscription,
  ]);
  const deadline = performance.now() + withinSeconds * 1_000;
  let reported = '';
  for (;;) {
    const { rows } = await database.query<Look>(LOOK, [request.rows[0]!.id]);
    const look = rows[0]!;
    const { applied, unread } = look;
    if (look.done) return look;
    if (!look.begun && performance.now() >= deadline) {
      throw new NoWorker(
        `No worker of ${serviceOf(program)} has begun within ${withinSeconds} s: is one running? The request stays: the next worker that starts takes it.`,
      );
    }
    if (look.begun && look.silentSeconds! > withinSeconds) {
      throw new NoWorker(
        `The worker has fallen silent after ${applied} events, with ${unread} to read. It goes on there when it starts again.`,
      );
    }
    const line = look.begun ? `${applied} events applied, ${unread} to read` : 'waiting for the worker to begin';
    if (line !== reported) report((reported = line));
    await sleep(LOOK_EVERY_MS);
  }
}
