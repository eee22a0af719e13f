import type { Logger } from '../observability';

/** Closes on the first SIGTERM or SIGINT and exits with 0, or 1 when closing failed; the second exits at once. */
export function closeOnSignal(running: { close(): Promise<void> }, logger: Logger): void {
  let asked = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (asked) process.exit(1);
    asked = true;
    logger.info({ signal }, 'stopping');
    running.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
