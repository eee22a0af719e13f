import type { PromiseCheck } from '@evenkeel/platform/testing';

/** P4, and the sums that hold exactly for each wallet: what is earned is accrued, issued, or was change. */
export const CREDIT_CHECKS: readonly PromiseCheck[] = [
  {
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
];
