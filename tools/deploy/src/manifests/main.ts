import { startCommand } from '@evenkeel/platform/command-line';
import { runCheck } from './run-check';

startCommand(process.env, (args, _env, streams) => runCheck(args, streams));
