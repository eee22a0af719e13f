import { parseArgs } from 'node:util';
import { loadConfig, redacted, type Environment } from '@evenkeel/platform/config';
import { Client } from 'pg';
import { rebuild } from './rebuild';
import { RebuildConfig } from './rebuild.config';

const HELP = `Builds the figures of reporting anew from the first event: the running worker empties its tables in one transaction,
reads the stream from offset 0, and ends with the same totals. Nothing has to be stopped; until it is done the answers
are those of the part that is read, and their lag_seconds says so.

  npm run reporting:rebuild

Options
  --within <s>    how long to wait for a worker, at first and whenever it falls silent (60)
  --help          this text

Environment
  DATABASE_URL    database of reporting; of a local run: set -a; . .data/reporting.env

It ends with 0 when everything is read, with 1 when some of it is parked (npm run events:replay -- reporting), with 2 when
no worker did it.
`;

export interface Streams {
  out: (text: string) => void;
  err: (text: string) => void;
}

/** The command line. @returns the exit code */
export async function run(args: string[], env: Environment, { out, err }: Streams): Promise<0 | 1 | 2> {
  try {
    const withinSeconds = readArguments(args);
    if (withinSeconds === 'help') {
      out(HELP);
      return 0;
    }
    const { DATABASE_URL: connectionString } = loadConfig(RebuildConfig, env);
    const database = new Client({ connectionString, connectionTimeoutMillis: 2_000, query_timeout: 4_000 });
    await database.connect().catch((cause: Error) => {
      throw new Error(`The database of reporting cannot be reached: ${cause.message}`, { cause });
    });
    try {
      const report = (line: string): void => out(`  ${line}\n`);
      const { applied, parked } = await rebuild(database, { withinSeconds, report });
      out(`Built anew from ${applied} events.\n`);
      if (parked === 0) return 0;
      err(`${parked} wallets wait behind an event that cannot be applied: npm run events:replay -- reporting --list\n`);
      return 1;
    } finally {
      await database.end();
    }
  } catch (error) {
    err(redacted(`${(error as Error).message}\n`));
    return 2;
  }
}

function readArguments(args: string[]): number | 'help' {
  const { values } = parseArgs({
    args,
    options: { help: { type: 'boolean' }, within: { type: 'string', default: '60' } },
  });
  if (values.help) return 'help';
  const withinSeconds = Number(values.within);
  if (!(withinSeconds > 0)) throw new Error('--within must be a number of seconds; --help says how.');
  return withinSeconds;
}
