import { startCommand } from '@evenkeel/platform/command-line';
import { run } from './grant-command';

startCommand(process.env, run);
