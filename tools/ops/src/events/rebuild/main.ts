import { startCommand } from '@evenkeel/platform/command-line';
import { runRebuild } from './rebuild';

/** Every subscription that makes tables of events. */
const programs = [
  { subscription: 'reporting', aggregates: 'wallets' },
  { subscription: 'reporting.subscriptions', aggregates: 'users' },
  { subscription: 'accounts', aggregates: 'users' },
  { subscription: 'billing', aggregates: 'users' },
];

startCommand(process.env, (args, env, streams) => runRebuild(programs, args, env, streams));
