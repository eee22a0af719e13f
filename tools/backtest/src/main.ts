import { startCommand } from '@evenkeel/platform/command-line';
import { run } from './run';

startCommand(process.env, (args, _env, streams) => run(args, Date.now(), streams));
