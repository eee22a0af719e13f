import type { PromiseCheck } from '@evenkeel/platform/testing';

/**
 * Checks of one promise in the database of one service.
 * @param reads views of schema `audit` with columns by which the service is known
 * @param faults what should not be, each with the query for the rows that are so
 */
export function checksOf(
  promise: string,
  reads: PromiseCheck['reads'],
  faults: Readonly<Record<string, string>>,
): PromiseCheck[] {
  return Object.entries(faults).map(([what, query]) => {
    return { promise, reads, sql: `SELECT '${what}' AS what, to_jsonb(fault) AS row FROM (${query}) AS fault` };
  });
}
