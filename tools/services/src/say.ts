/** Told what an operator should know, in sentences. */
export type Say = (line: string) => void;

/** Standard error: what a command prints for other programs stays clean. */
export const sayToOperator: Say = (line) => void process.stderr.write(`${line}\n`);
