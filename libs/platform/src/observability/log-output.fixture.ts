import { createLogger } from './create-logger';

/** A program that writes to its log, and then ends by itself or at once. */
createLogger('shop').info('closing');
if (process.argv[2] === 'exit') process.exit(0);
