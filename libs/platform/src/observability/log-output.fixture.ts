import { createHook } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from './create-logger';

/** More than a block each: the second one is passed on while the first one is being written. */
const LARGE_LINE = 'x'.repeat(100_000);

/** Programs that write to their log, by what they do then. */
const PROGRAMS: Record<string, () => unknown> = {
  end: () => createLogger('shop').info('closing'),
  exit: () => {
    createLogger('shop').info('closing');
    process.exit(0);
  },
  stay: () => {
    const logger = createLogger('shop');
    logger.info(LARGE_LINE);
    logger.info(LARGE_LINE);
    process.stdin.resume();
  },
  idle: async () => {
    for (const name of ['shop', 'till', 'stock']) createLogger(name).info('open');
    await sleep(1_000);
    let writes = 0;
    createHook({ init: (_id, type) => void (writes += type === 'FSREQCALLBACK' ? 1 : 0) }).enable();
    await sleep(1_000);
    createLogger('shop').info({ writes }, 'a second later');
  },
};
void PROGRAMS[process.argv[2]!]!();
