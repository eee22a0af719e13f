const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;

/**
 * Time to the next try: twice as long each time, and never sooner than the server asked for.
 * @param failures in a row, 1 or more
 * @param retryAfterSeconds of the last answer, where it had one
 */
export function backoffMs(failures: number, retryAfterSeconds = 0): number {
  return Math.max(Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS), retryAfterSeconds * 1_000);
}
