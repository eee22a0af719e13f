import type { PromiseCheck } from '@evenkeel/platform/testing';

/** P5 where revenue is reported: a payment is one row, and a stored sum is the sum of its rows. */
export const ROLLUP_CHECKS: readonly PromiseCheck[] = [
  {
    promise: 'P5',
    reads: { payments: ['payment_id', 'amount_atomic', 'status'] },
    sql: `
      SELECT 'a payment is in the copy of the ledger more than once' AS what,
        jsonb_build_object('payment_id', payment_id, 'rows', count(*)) AS row
      FROM audit.payments GROUP BY payment_id HAVING count(*) > 1`,
  },
  {
    promise: 'P5',
    reads: { rollups: ['rollup', 'key', 'kept', 'counted'] },
    sql: `
      SELECT 'a rollup is not what its rows make it' AS what, to_jsonb(r) AS row
      FROM audit.rollups r WHERE kept IS DISTINCT FROM counted`,
  },
  {
    promise: 'P5',
    reads: { subscription_rollups: ['rollup', 'key', 'kept', 'counted'] },
    sql: `
      SELECT 'a rollup of subscriptions is not what its rows make it' AS what, to_jsonb(r) AS row
      FROM audit.subscription_rollups r WHERE kept IS DISTINCT FROM counted`,
  },
  {
    promise: 'P5',
    reads: { mrr: ['day', 'start_micros', 'movements_micros', 'end_micros'] },
    sql: `
      SELECT 'movements do not lead from the MRR of one day to that of the next' AS what, to_jsonb(m) AS row
      FROM audit.mrr m WHERE start_micros + movements_micros <> end_micros`,
  },
];
