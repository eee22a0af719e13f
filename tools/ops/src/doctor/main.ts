import { startCommand } from '@evenkeel/platform/command-line';
import { run } from './doctor-command';

startCommand(process.env, run);
