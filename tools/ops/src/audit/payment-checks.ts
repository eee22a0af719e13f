import { checksOf } from './promise-checks';

const GATEWAY = {
  payments: ['state', 'served', 'watched'],
  calls: ['credit_id'],
  wallets: ['settled_atomic', 'unpaid_calls'],
  credits: ['earned_by'],
  outbox: ['amount_atomic', 'rebate_atomic'],
};
const REPORTING = {
  payments: ['payment_id', 'status'],
  rollups: ['kept', 'counted'],
  subscription_rollups: ['kept', 'counted'],
  mrr: ['movements_micros'],
};

/** Checks of the promises about payments and credits, in the databases of the gateway and of reporting. */
export const PAYMENT_CHECKS = [
  // Charged at most once, and every charge has its 200: one that was never given can still be given.
  ...checksOf('P1', GATEWAY, {
    'an authorization has more than one payment': `
      SELECT payer, nonce, count(*) AS payments
      FROM audit.payments GROUP BY chain_id, asset, payer, nonce HAVING count(*) > 1`,
    'a payment was announced as settled more than once': `
      SELECT subject, count(*) AS events
      FROM audit.outbox WHERE type = 'payment.settled' GROUP BY subject HAVING count(*) > 1`,
    'a charge has no call and no right to one: it is marked as served': `
      SELECT * FROM audit.payments p
      WHERE state = 'settled' AND served AND NOT EXISTS (SELECT FROM audit.calls c WHERE c.payment_id = p.id)`,
  }),
  ...checksOf('P2', GATEWAY, {
    // It has a row in the table of checks, so that it does not stay open.
    'nobody looks after an open outcome': `
      SELECT * FROM audit.payments WHERE state IN ('settlement_pending', 'needs_reconciliation') AND NOT watched`,
    // It belongs to a process that died, and the worker should have taken it over after 15 s.
    'a claim is left behind and was not taken over': `
      SELECT * FROM audit.payments WHERE state = 'settling' AND created_at < now() - interval '60 seconds'`,
  }),
  ...checksOf('P3', GATEWAY, {
    'a call is covered by no payment and no credit, or by both': `
      SELECT * FROM audit.calls WHERE num_nonnulls(payment_id, credit_id) <> 1`,
    'a payment covers more than one call': `
      SELECT payment_id, count(*) AS calls
      FROM audit.calls WHERE payment_id IS NOT NULL GROUP BY payment_id HAVING count(*) > 1`,
    'a call is covered by a payment that was not made, or not marked as served': `
      SELECT c.* FROM audit.calls c LEFT JOIN audit.payments p ON p.id = c.payment_id
      WHERE c.payment_id IS NOT NULL AND (p.served IS NOT TRUE OR p.state = 'settling')`,
    'a wallet was served more than once without a settlement': `
      SELECT payer, array_agg(id ORDER BY id) AS payments
      FROM audit.payments WHERE served AND state <> 'settled' GROUP BY payer HAVING count(*) > 1`,
    'the unpaid calls of a wallet are not those that failed after they were served': `
      SELECT * FROM audit.wallets w CROSS JOIN LATERAL (
        SELECT count(*) AS failed FROM audit.payments p
        WHERE p.payer = w.address AND p.served AND p.state = 'settlement_failed'
      ) f
      WHERE w.unpaid_calls <> f.failed`,
  }),
  // Here: the ledger, the wallets and what is announced to reporting. With the chain it is compared by reconciliation.
  ...checksOf('P5', GATEWAY, {
    'settled and announced payments differ': `
      SELECT s.id, a.subject, s.payer, s.amount_atomic AS settled, a.amount_atomic AS announced
      FROM (SELECT * FROM audit.payments WHERE state = 'settled') s
      FULL JOIN (SELECT * FROM audit.outbox WHERE type = 'payment.settled') a ON a.subject = s.id::text
      WHERE s.amount_atomic IS DISTINCT FROM a.amount_atomic`,
    'a failed or open payment is not announced as such': `
      SELECT p.* FROM audit.payments p JOIN (VALUES
        ('settlement_failed', 'payment.settlement-failed'),
        ('settlement_pending', 'payment.settlement-pending'),
        ('needs_reconciliation', 'payment.settlement-pending')
      ) AS wanted (state, type) USING (state)
      WHERE NOT EXISTS (SELECT FROM audit.outbox o WHERE o.subject = p.id::text AND o.type = wanted.type)`,
    'the total of a wallet is not the sum of its settled payments': `
      SELECT w.address, sums.payer, w.settled_atomic AS total, sums.amount AS sum
      FROM audit.wallets w FULL JOIN (
        SELECT payer, sum(amount_atomic) AS amount FROM audit.payments WHERE state = 'settled' GROUP BY payer
      ) sums ON sums.payer = w.address
      WHERE coalesce(w.settled_atomic, 0) <> coalesce(sums.amount, 0)`,
  }),
  // And the sums that hold exactly for each wallet: what is earned is accrued, issued, or was change.
  ...checksOf('P4', GATEWAY, {
    'a credit pays for more than one call': `
      SELECT credit_id, count(*) AS calls
      FROM audit.calls WHERE credit_id IS NOT NULL GROUP BY credit_id HAVING count(*) > 1`,
    'a credit was spent without its call': `
      SELECT * FROM audit.credits c
      WHERE redeemed_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM audit.calls l WHERE l.credit_id = c.id AND l.id = c.call_id)`,
    'a call is paid with a credit that was not spent': `
      SELECT l.* FROM audit.calls l LEFT JOIN audit.credits c ON c.id = l.credit_id
      WHERE l.credit_id IS NOT NULL AND c.redeemed_at IS NULL`,
    'a credit was earned by no settled and answered payment of its wallet': `
      SELECT c.* FROM audit.credits c LEFT JOIN audit.payments p ON p.id = c.earned_by AND p.payer = c.payer
      WHERE p.served IS NOT TRUE OR p.state <> 'settled'`,
    'credits and their events differ': `
      SELECT c.id, wanted.type, wanted.amount, o.amounts AS announced
      FROM audit.credits c
      CROSS JOIN LATERAL (
        VALUES ('credit.issued', c.face_atomic), ('credit.redeemed', c.change_atomic)
      ) AS wanted (type, amount)
      CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(amount_atomic), '{}') AS amounts FROM audit.outbox
        WHERE subject = c.id::text AND audit.outbox.type = wanted.type
      ) o
      WHERE o.amounts <> CASE WHEN wanted.amount IS NULL THEN '{}' ELSE ARRAY[wanted.amount] END`,
    'face issued and accrued are not what was earned and returned as change': `
      SELECT * FROM audit.wallets w CROSS JOIN LATERAL (
        SELECT coalesce(sum(face_atomic), 0) AS face, coalesce(sum(change_atomic), 0) AS change
        FROM audit.credits WHERE payer = w.address
      ) c
      WHERE c.face + w.accrued_atomic <> w.earned_atomic + c.change`,
    'a wallet has not earned what its settled payments were announced with': `
      SELECT * FROM audit.wallets w CROSS JOIN LATERAL (
        SELECT coalesce(sum(rebate_atomic), 0) AS announced FROM audit.outbox
        WHERE aggregate = w.address AND type = 'payment.settled'
      ) r
      WHERE w.earned_atomic <> r.announced`,
  }),
  // Where revenue is reported: a payment is one row, and a stored sum is the sum of its rows.
  ...checksOf('P5', REPORTING, {
    'a payment is in the copy of the ledger more than once': `
      SELECT payment_id, count(*) AS rows FROM audit.payments GROUP BY payment_id HAVING count(*) > 1`,
    'a rollup is not what its rows make it': `
      SELECT * FROM audit.rollups WHERE kept IS DISTINCT FROM counted`,
    'a rollup of subscriptions is not what its rows make it': `
      SELECT * FROM audit.subscription_rollups WHERE kept IS DISTINCT FROM counted`,
    'movements do not lead from the MRR of one day to that of the next': `
      SELECT * FROM audit.mrr WHERE start_micros + movements_micros <> end_micros`,
  }),
];
