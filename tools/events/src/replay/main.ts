import { parseArgs } from 'node:util';
import { loadConfig, redacted } from '@evenkeel/platform/config';
import { Client } from 'pg';
import { InboxConfig } from '../events.config';
import { replay } from './replay';

const HELP = `Has the parked events of a service tried again, oldest first, by its running worker: those in its table, then its
unread dead letters. An aggregate is free again once nothing of it waits.

  npm run events:replay -- <consumer>     reporting, accounts or billing

Options
  --list          shows what is parked, and why, without trying it again
  --within <s>    how long to wait for the worker (60)
  --help          this text

Environment
  DATABASE_URL    database of that service

It ends with 1 when something is still parked.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean' }, list: { type: 'boolean' }, within: { type: 'string', default: '60' } },
  });
  if (values.help) return void process.stdout.write(HELP);

  const [consumer, ...others] = positionals;
  if (consumer === undefined || others.length > 0) throw new Error('Name one consumer; --help says how.');
  const withinSeconds = Number(values.within);
  if (!(withinSeconds > 0)) throw new Error('--within must be a number of seconds.');
  const { DATABASE_URL: connectionString } = loadConfig(InboxConfig, process.env);
  const database = new Client({ connectionString, connectionTimeoutMillis: 2_000, query_timeout: 4_000 });
  await database.connect();
  try {
    const left = await replay(database, { consumer, withinSeconds, listOnly: values.list === true });
    process.stdout.write(left.length === 0 ? 'Nothing is parked.\n' : redacted(`Parked:\n${left.join('\n')}\n`));
    process.exitCode = left.length === 0 ? 0 : 1;
  } finally {
    await database.end();
  }
}

main().catch((error: Error) => {
  process.stderr.write(redacted(`${error.message}\n`));
  process.exitCode = 1;
});
