export interface Programs {
  /** The workspace; entries are paths from there. */
  root: string;
  /** Where compiled ones are kept. */
  folder: string;
  entries: readonly string[];
  /** Programs that these start, also paths from there: each is a file of its own. Who starts one lies beside it. */
  children: readonly string[];
  /** Run once to its end: what the engine compiles for it, no later start compiles again. */
  warmUp?: readonly string[];
  /** Called before they are compiled. */
  onCompile?: () => void;
}

/** The file with the programs as they are now: the kept one where nothing has changed since, else a new one. */
export function compiledPrograms(programs: Programs): Promise<string>;
