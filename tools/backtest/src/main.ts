import { startCommand } from '@evenkeel/platform/command-line';
import { run } from './run';

startCommand(process.env, (args, _env, streams) => {
  const progress = (doing: string): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r${doing}\x1b[K`);
  };
  return run(args, Date.now(), { ...streams, progress });
});
