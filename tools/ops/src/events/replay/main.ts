import { setTimeout as sleep } from 'node:timers/promises';
import {
  Argument,
  Command,
  decimalOption,
  runCommand,
  startCommand,
  type Streams,
} from '@evenkeel/platform/command-line';
import { IsDatabaseUrl, loadConfig, Secret, type Environment } from '@evenkeel/platform/config';
import { requestReplay } from '@evenkeel/platform/messaging';
import { connect } from '../connect';
import { assertDatabaseOf, SUBSCRIPTIONS } from '../subscriptions';

class InboxConfig {
  @Secret()
  @IsDatabaseUrl('the postgres:// address of the service that parked the events')
  DATABASE_URL!: string;
}

interface Replay {
  consumer: string;
  list: boolean;
  within: number;
}

const REPLAY = new Command('npm run events:replay --')
  .description(
    `Has the parked events of a service tried again, oldest first, by its running worker: those in its table, then its
unread dead letters. An aggregate is free again once nothing of it waits.`,
  )
  .addArgument(
    new Argument('<subscription>', 'whose events').choices(SUBSCRIPTIONS.map(({ subscription }) => subscription)),
  )
  .option('--list', 'shows what is parked, and why, without trying it again', false)
  .addOption(decimalOption('--within <seconds>', 'how long to wait for the worker', 0.1, 86_400).default(60))
  .addHelpText(
    'after',
    `
Environment:
  DATABASE_URL  database of that service

It ends with 1 when something is still parked.`,
  );

const LOOK_EVERY_MS = 200;
const OPEN = 'SELECT count(*)::integer AS open FROM parked WHERE consumer = $1 AND replay_requested_at IS NOT NULL';
const LEFT = `
  SELECT aggregate, count(*)::integer AS waiting, min(reason) AS reason
  FROM parked WHERE consumer = $1 GROUP BY aggregate ORDER BY aggregate`;

async function replay({ consumer, list, within }: Replay, env: Environment, { out }: Streams): Promise<0 | 1> {
  const { DATABASE_URL: connectionString } = loadConfig(InboxConfig, env);
  const database = await connect({ connectionString, query_timeout: 4_000 });
  const query = async <Row>(text: string, values?: unknown[]) => (await database.query(text, values)).rows as Row;
  try {
    await assertDatabaseOf(database, consumer);
    if (!list) {
      await requestReplay({ query }, consumer);
      await untilTried(query, consumer, within);
    }
    const left = await query<{ aggregate: string; waiting: number; reason: string | null }[]>(LEFT, [consumer]);
    const lines = left.map(({ aggregate, waiting, reason }) => `  ${aggregate}  ${waiting} events  ${reason ?? ''}`);
    out(left.length === 0 ? 'Nothing is parked.\n' : `Parked:\n${lines.map((line) => line.trimEnd()).join('\n')}\n`);
    return left.length === 0 ? 0 : 1;
  } finally {
    await database.end();
  }
}

type Query = <Row>(text: string, values?: unknown[]) => Promise<Row>;

/** @throws Error when no worker took the request */
async function untilTried(query: Query, consumer: string, withinSeconds: number): Promise<void> {
  const deadline = performance.now() + withinSeconds * 1_000;
  for (;;) {
    const [{ open }] = await query<[{ open: number }]>(OPEN, [consumer]);
    if (open === 0) return;
    if (performance.now() >= deadline) {
      throw new Error(`${open} events still wait after ${withinSeconds} s: is the worker of ${consumer} running?`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

startCommand(process.env, (args, env, streams) =>
  runCommand(REPLAY, args, streams, ({ args: [consumer], ...options }, safe) =>
    replay({ consumer, ...options }, env, safe),
  ),
);
