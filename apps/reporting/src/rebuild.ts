import { startCommand } from '@evenkeel/platform/command-line';
import { runRebuild } from '@evenkeel/platform/projection';

const program = { service: 'reporting', aggregates: 'wallets' };

startCommand(process.env, (args, env, streams) => runRebuild(program, args, env, streams));
