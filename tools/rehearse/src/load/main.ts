import { runCommand, startCommand } from '@evenkeel/platform/command-line';
import { LOAD, runLoad, SOAK } from './run-load';

/** Aborted by the first Ctrl-C or SIGTERM; the second one ends the process at once. */
function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

startCommand(process.env, ([first, ...rest], env, streams) => {
  const [command, args] = first === 'soak' ? [SOAK, rest] : [LOAD, first === undefined ? [] : [first, ...rest]];
  return runCommand(command, args, streams, (wanted, safe) => runLoad(wanted, env, safe, untilInterrupted()));
});
