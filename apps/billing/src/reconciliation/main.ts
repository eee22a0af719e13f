import { startCommand } from '@evenkeel/platform/command-line';
import { run } from './run';

startCommand(process.env, run);
