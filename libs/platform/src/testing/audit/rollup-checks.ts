import type { PromiseCheck } from './promise-check';

/** P5 where revenue is reported: what is kept as a sum is the sum of its rows. */
export const ROLLUP_CHECKS: readonly PromiseCheck[] = [
  {
    promise: 'P5',
    reads: { rollups: ['rollup', 'key', 'kept', 'counted'] },
    sql: `
      SELECT 'a rollup is not what its rows make it' AS what, to_jsonb(r) AS row
      FROM audit.rollups r WHERE kept IS DISTINCT FROM counted`,
  },
];
