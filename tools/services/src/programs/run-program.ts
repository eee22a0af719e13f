import { join } from 'node:path';

/** What node runs: this, the file of compiled programs, an entry, and the arguments of the program. */
export const RUN_PROGRAM = join(__dirname, '../../programs/main.js');
