/** The arguments of node: this, the file of compiled programs, an entry, and the arguments of the program. */
export const RUN_PROGRAM: string;

/** The file with programs as they are now: the kept one where no source has changed since, else a new one. */
export function compiledPrograms(programs: {
  root: string;
  folder: string;
  entries: readonly string[];
  children: readonly string[];
  warmUp?: readonly string[];
}): Promise<string>;
