import { startCommand } from '@evenkeel/platform/command-line';
import { runCreateTopics } from './create-topics';

startCommand(process.env, runCreateTopics);
