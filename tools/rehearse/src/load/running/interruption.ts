/** Aborted by the first Ctrl-C or SIGTERM; the second one ends the process at once. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}
