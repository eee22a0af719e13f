import { startCommand } from '@evenkeel/platform/command-line';
import { run } from './account-command';

startCommand(process.env, run);
