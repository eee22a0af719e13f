import {
  BadUsage,
  CommandLine,
  flag,
  oneArgument,
  runCommand,
  startCommand,
  text,
  type Streams,
} from '@evenkeel/platform/command-line';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import { Client } from 'pg';
import { InboxConfig } from '../events.config';
import { replay } from './replay';

interface Replay {
  consumer: string;
  listOnly: boolean;
  withinSeconds: number;
}

const REPLAY = new CommandLine({
  call: 'npm run events:replay',
  about: `Has the parked events of a service tried again, oldest first, by its running worker: those in its table, then its
unread dead letters. An aggregate is free again once nothing of it waits.`,
  usage: ['npm run events:replay -- <consumer>     reporting, reporting.subscriptions, accounts or billing'],
  options: {
    list: flag('shows what is parked, and why, without trying it again'),
    within: text({ help: 'how long to wait for the worker', placeholder: 's', fallback: '60' }),
  },
  environment: { DATABASE_URL: 'database of that service' },
  ends: 'It ends with 1 when something is still parked.',
  takesArguments: true,
  read: ({ list, within }, given): Replay => {
    const consumer = oneArgument(given, { missing: 'Name one consumer', more: 'One consumer at a time' });
    const withinSeconds = Number(within);
    if (!(withinSeconds > 0)) throw new BadUsage('--within must be a number of seconds.');
    return { consumer, listOnly: list, withinSeconds };
  },
});

async function replayParked(wanted: Replay, env: Environment, { out }: Streams): Promise<0 | 1> {
  const { DATABASE_URL: connectionString } = loadConfig(InboxConfig, env);
  const database = new Client({ connectionString, connectionTimeoutMillis: 2_000, query_timeout: 4_000 });
  await database.connect();
  try {
    const left = await replay(database, wanted);
    out(left.length === 0 ? 'Nothing is parked.\n' : `Parked:\n${left.join('\n')}\n`);
    return left.length === 0 ? 0 : 1;
  } finally {
    await database.end();
  }
}

startCommand(process.env, (args, env, streams) =>
  runCommand(REPLAY, args, streams, (wanted, safe) => replayParked(wanted, env, safe)),
);
