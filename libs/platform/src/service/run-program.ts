import { redacted } from '../config';

/** Runs it; an error that nobody caught is told to the operator in its own words, and ends the process with 1. */
export function runProgram(program: () => Promise<void>): void {
  program().catch((error: Error) => {
    console.error(redacted(error.message));
    process.exit(1);
  });
}

/** One line for whoever started the process. */
export function sayReady(addresses: { url?: string; internalUrl: string }): void {
  console.log(JSON.stringify({ ready: true, ...addresses }));
}
