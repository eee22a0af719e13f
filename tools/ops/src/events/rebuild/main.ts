import { startCommand } from '@evenkeel/platform/command-line';
import { SUBSCRIPTIONS } from '../subscriptions';
import { runRebuild } from './rebuild';

startCommand(process.env, (args, env, streams) => runRebuild(SUBSCRIPTIONS, args, env, streams));
