import { join } from 'node:path';

/** The arguments of node: this, the file of compiled programs, an entry, and the arguments of the program. */
export const RUN_PROGRAM = join(__dirname, '../../programs/main.js');
