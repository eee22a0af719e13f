import type { PromiseCheck } from './promise-checks';

const PAYMENTS = ['id', 'nonce', 'payer', 'amount_atomic', 'state', 'served', 'watched'] as const;
const CALLS = ['id', 'payment_id', 'credit_id'] as const;
const WALLETS = ['address', 'settled_atomic', 'unpaid_calls'] as const;
const OUTBOX = ['aggregate', 'aggregate_seq', 'type', 'subject', 'amount_atomic'] as const;

/** Older ones belong to a process that died, and the worker should have taken them over after 15 s. */
const ABANDONED_AFTER = `interval '60 seconds'`;
const OPEN = `('settlement_pending', 'needs_reconciliation')`;

/** Checks of the promises about payments and credits, in the databases of the gateway and of reporting. */
export const PAYMENT_CHECKS: readonly PromiseCheck[] = [
  {
    // Charged at most once, and every charge has its 200: one that was never given can still be given.
    promise: 'P1',
    reads: { payments: PAYMENTS, calls: CALLS, outbox: OUTBOX },
    sql: `
      SELECT 'an authorization has more than one payment' AS what,
        jsonb_build_object('payer', payer, 'nonce', nonce, 'payments', count(*)) AS row
      FROM audit.payments GROUP BY chain_id, asset, payer, nonce HAVING count(*) > 1
      UNION ALL
      SELECT 'a payment was announced as settled more than once',
        jsonb_build_object('payment_id', subject, 'events', count(*))
      FROM audit.outbox WHERE type = 'payment.settled' GROUP BY subject HAVING count(*) > 1
      UNION ALL
      SELECT 'a charge has no call and no right to one: it is marked as served', to_jsonb(p)
      FROM audit.payments p
      WHERE state = 'settled' AND served AND NOT EXISTS (SELECT FROM audit.calls c WHERE c.payment_id = p.id)`,
  },
  {
    // An open outcome has a row in the table of checks, so that it does not stay open.
    promise: 'P2',
    reads: { payments: PAYMENTS },
    sql: `
      SELECT 'nobody looks after an open outcome' AS what, to_jsonb(p) AS row
      FROM audit.payments p WHERE state IN ${OPEN} AND NOT watched
      UNION ALL
      SELECT 'a claim is left behind and was not taken over', to_jsonb(p)
      FROM audit.payments p WHERE state = 'settling' AND created_at < now() - ${ABANDONED_AFTER}`,
  },
  {
    promise: 'P3',
    reads: { payments: PAYMENTS, calls: CALLS, wallets: WALLETS },
    sql: `
      SELECT 'a call is covered by no payment and no credit, or by both' AS what, to_jsonb(c) AS row
      FROM audit.calls c WHERE num_nonnulls(payment_id, credit_id) <> 1
      UNION ALL
      SELECT 'a payment covers more than one call', jsonb_build_object('payment_id', payment_id, 'calls', count(*))
      FROM audit.calls WHERE payment_id IS NOT NULL GROUP BY payment_id HAVING count(*) > 1
      UNION ALL
      SELECT 'a call is covered by a payment that was not made, or not marked as served', to_jsonb(c)
      FROM audit.calls c LEFT JOIN audit.payments p ON p.id = c.payment_id
      WHERE c.payment_id IS NOT NULL AND (p.served IS NOT TRUE OR p.state = 'settling')
      UNION ALL
      SELECT 'a wallet was served more than once without a settlement',
        jsonb_build_object('payer', payer, 'payments', array_agg(id ORDER BY id))
      FROM audit.payments WHERE served AND state <> 'settled' GROUP BY payer HAVING count(*) > 1
      UNION ALL
      SELECT 'the unpaid calls of a wallet are not those that failed after they were served',
        to_jsonb(w) || jsonb_build_object('failed', f.failed)
      FROM audit.wallets w LEFT JOIN LATERAL (
        SELECT count(*) AS failed FROM audit.payments p
        WHERE p.payer = w.address AND p.served AND p.state = 'settlement_failed'
      ) f ON true
      WHERE w.unpaid_calls <> f.failed`,
  },
  {
    // Here: the ledger, the wallets and what is announced to reporting. With the chain it is compared by reconciliation.
    promise: 'P5',
    reads: { payments: PAYMENTS, wallets: WALLETS, outbox: OUTBOX },
    sql: `
      WITH announced AS (SELECT subject, amount_atomic FROM audit.outbox WHERE type = 'payment.settled'),
      settled AS (SELECT * FROM audit.payments WHERE state = 'settled')
      SELECT 'settled and announced payments differ' AS what,
        jsonb_build_object('payment_id', coalesce(s.id::text, a.subject), 'payer', s.payer,
          'settled', s.amount_atomic, 'announced', a.amount_atomic) AS row
      FROM settled s FULL JOIN announced a ON a.subject = s.id::text
      WHERE s.amount_atomic IS DISTINCT FROM a.amount_atomic
      UNION ALL
      SELECT 'a failed or open payment is not announced as such', to_jsonb(p)
      FROM audit.payments p JOIN (VALUES
        ('settlement_failed', 'payment.settlement-failed'),
        ('settlement_pending', 'payment.settlement-pending'),
        ('needs_reconciliation', 'payment.settlement-pending')
      ) AS wanted (state, type) USING (state)
      WHERE NOT EXISTS (SELECT FROM audit.outbox o WHERE o.subject = p.id::text AND o.type = wanted.type)
      UNION ALL
      SELECT 'the total of a wallet is not the sum of its settled payments',
        jsonb_build_object('payer', coalesce(w.address, sums.payer), 'total', w.settled_atomic, 'sum', sums.amount)
      FROM audit.wallets w
      FULL JOIN (SELECT payer, sum(amount_atomic) AS amount FROM settled GROUP BY payer) sums ON sums.payer = w.address
      WHERE coalesce(w.settled_atomic, 0) <> coalesce(sums.amount, 0)`,
  },
  {
    // And the sums that hold exactly for each wallet: what is earned is accrued, issued, or was change.
    promise: 'P4',
    reads: {
      credits: ['id', 'payer', 'face_atomic', 'change_atomic', 'earned_by', 'redeemed_at', 'call_id'],
      calls: ['id', 'credit_id'],
      payments: ['id', 'payer', 'state', 'served'],
      wallets: ['address', 'earned_atomic', 'accrued_atomic'],
      outbox: ['type', 'subject', 'amount_atomic', 'rebate_atomic'],
    },
    sql: `
      SELECT 'a credit pays for more than one call' AS what,
        jsonb_build_object('credit_id', credit_id, 'calls', count(*)) AS row
      FROM audit.calls WHERE credit_id IS NOT NULL GROUP BY credit_id HAVING count(*) > 1
      UNION ALL
      SELECT 'a credit was spent without its call', to_jsonb(c)
      FROM audit.credits c
      WHERE redeemed_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM audit.calls l WHERE l.credit_id = c.id AND l.id = c.call_id)
      UNION ALL
      SELECT 'a call is paid with a credit that was not spent', to_jsonb(l)
      FROM audit.calls l LEFT JOIN audit.credits c ON c.id = l.credit_id
      WHERE l.credit_id IS NOT NULL AND c.redeemed_at IS NULL
      UNION ALL
      SELECT 'a credit was earned by no settled and answered payment of its wallet', to_jsonb(c)
      FROM audit.credits c LEFT JOIN audit.payments p ON p.id = c.earned_by AND p.payer = c.payer
      WHERE p.served IS NOT TRUE OR p.state <> 'settled'
      UNION ALL
      SELECT 'credits and their events differ',
        jsonb_build_object('credit_id', c.id, 'event', wanted.type, 'amount', wanted.amount, 'announced', o.amounts)
      FROM audit.credits c
      CROSS JOIN LATERAL (
        VALUES ('credit.issued', c.face_atomic), ('credit.redeemed', c.change_atomic)
      ) AS wanted (type, amount)
      CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(amount_atomic), '{}') AS amounts FROM audit.outbox
        WHERE subject = c.id::text AND audit.outbox.type = wanted.type
      ) o
      WHERE o.amounts <> CASE WHEN wanted.amount IS NULL THEN '{}' ELSE ARRAY[wanted.amount] END
      UNION ALL
      SELECT 'face issued and accrued are not what was earned and returned as change',
        to_jsonb(w) || jsonb_build_object('face', c.face, 'change', c.change)
      FROM audit.wallets w CROSS JOIN LATERAL (
        SELECT coalesce(sum(face_atomic), 0) AS face, coalesce(sum(change_atomic), 0) AS change
        FROM audit.credits WHERE payer = w.address
      ) c
      WHERE c.face + w.accrued_atomic <> w.earned_atomic + c.change
      UNION ALL
      SELECT 'a wallet has not earned what its settled payments were announced with',
        to_jsonb(w) || jsonb_build_object('announced', r.rebate)
      FROM audit.wallets w CROSS JOIN LATERAL (
        SELECT coalesce(sum(rebate_atomic), 0) AS rebate FROM audit.outbox
        WHERE aggregate = w.address AND type = 'payment.settled'
      ) r
      WHERE w.earned_atomic <> r.rebate`,
  },
  // Where revenue is reported: a payment is one row, and a stored sum is the sum of its rows.
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
