import { startCommand } from '@evenkeel/platform/command-line';
import { runCompat } from './command';

startCommand(process.env, runCompat);
