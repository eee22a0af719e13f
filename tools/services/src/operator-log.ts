/** Called with messages for an operator, in sentences. */
export type OperatorLog = (line: string) => void;

/** Standard error: what a command prints for other programs stays clean. */
export const logToOperator: OperatorLog = (line) => void process.stderr.write(`${line}\n`);
