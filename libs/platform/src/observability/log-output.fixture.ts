import { createLogger } from './create-logger';

/** A program that writes one line and ends at once. */
createLogger('shop').info('closing');
if (process.argv[2] === 'exit') process.exit(0);
