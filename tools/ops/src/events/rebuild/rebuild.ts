import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { Argument, Command, decimalOption, runCommand, type Streams } from '@evenkeel/platform/command-line';
import { IsDatabaseUrl, loadConfig, Secret, type Environment } from '@evenkeel/platform/config';
import { connect } from '../connect';
import { assertDatabaseOf, serviceOf, type KnownSubscription } from '../subscriptions';

class RebuildConfig {
  @Secret()
  @IsDatabaseUrl('the postgres:// address of the service')
  DATABASE_URL!: string;
}

interface Wanted {
  subscription: string;
  /** How long to wait for a worker, at the beginning and whenever it falls silent. */
  withinSeconds: number;
}

const commandOf = (subscriptions: readonly string[]) =>
  new Command('npm run events:rebuild --')
    .description(
      `Rebuilds the tables that a subscription makes of its events from the first event: the running worker empties them in one
transaction, reads the stream from offset 0, and ends with the same totals. Nothing has to be stopped; until it is done
the answers are those of the part that is read.`,
    )
    .addArgument(new Argument('<subscription>', 'whose tables').choices(subscriptions))
    .addOption(
      decimalOption(
        '--within <seconds>',
        'how long to wait for a worker, at first and whenever it falls silent',
        0.001,
        1_000_000,
      ).default(60),
    )
    .addHelpText(
      'after',
      `
Environment:
  DATABASE_URL  database of that service; of a local run: set -a; . .data/<service>.env

It ends with 0 when everything is read, with 1 when some of it is parked (npm run events:replay -- <subscription>), with 2
when no worker did it.`,
    );

/**
 * The command line of a rebuild: `<subscription> [--within <s>]`.
 * @param programs the subscriptions that it can rebuild
 * @returns the exit code
 */
export async function runRebuild(
  programs: readonly KnownSubscription[],
  args: string[],
  env: Environment,
  streams: Streams,
): Promise<number> {
  const work = async ({ subscription, withinSeconds }: Wanted, { out, err }: Streams): Promise<0 | 1> => {
    const { DATABASE_URL: connectionString } = loadConfig(RebuildConfig, env);
    const database = await connect({ connectionString, query_timeout: 4_000 });
    try {
      const { applied, parked } = await rebuild(database, { subscription, withinSeconds }, (line) =>
        out(`  ${line}\n`),
      );
      out(`Rebuilt from ${applied} events.\n`);
      if (parked === 0) return 0;
      const waiting = `${parked} ${programs.find((one) => one.subscription === subscription)!.aggregates} wait`;
      err(`${waiting} behind an event that cannot be applied: npm run events:replay -- ${subscription} --list\n`);
      return 1;
    } finally {
      await database.end();
    }
  };
  const command = commandOf(programs.map(({ subscription }) => subscription));
  return runCommand(
    command,
    args,
    streams,
    ({ within: withinSeconds, args: [subscription] }, safe) => work({ subscription, withinSeconds }, safe),
    { badUsage: 2, failed: 2 },
  );
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
  /** Null before it has begun. */
  silentSeconds: number | null;
  parked: number;
}

/**
 * Asks the running worker to rebuild the projection, and follows it to the end of the stream.
 * @returns how many events are applied, and how many aggregates wait behind an event that cannot be
 * @throws Error in the database of another service, when no worker took the request, or it fell silent; the request stays open
 */
async function rebuild(
  database: Client,
  { subscription, withinSeconds }: Wanted,
  report: (line: string) => void,
): Promise<Look> {
  await assertDatabaseOf(database, subscription);
  const request = 'INSERT INTO rebuilds (subscription) VALUES ($1) RETURNING id';
  const [{ id } = { id: '' }] = (await database.query<{ id: string }>(request, [subscription])).rows;
  const deadline = performance.now() + withinSeconds * 1_000;
  let reported = '';
  for (;;) {
    const look = (await database.query<Look>(LOOK, [id])).rows[0]!;
    const { begun, applied, unread } = look;
    if (look.done) return look;
    if (!begun && performance.now() >= deadline) {
      throw new Error(
        `No worker of ${serviceOf(subscription)} has begun within ${withinSeconds} s: is one running? The request stays: the next worker that starts takes it.`,
      );
    }
    if (begun && look.silentSeconds! > withinSeconds) {
      throw new Error(
        `The worker has fallen silent after ${applied} events, with ${unread} to read. It goes on there when it starts again.`,
      );
    }
    const line = begun ? `${applied} events applied, ${unread} to read` : 'waiting for the worker to begin';
    if (line !== reported) report((reported = line));
    await sleep(LOOK_EVERY_MS);
  }
}
