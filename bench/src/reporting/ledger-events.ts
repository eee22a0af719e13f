import {
  CreditIssued,
  CreditRedeemed,
  PaymentSettled,
  PaymentSettlementFailed,
  PaymentSettlementPending,
} from '@evenkeel/contracts';
import type { ClientBase } from 'pg';
import { iso, type PublishedRow } from './published-rows';

/** Of so many payments one is first announced as pending: its settlement was not known at once. */
const PENDING_FIRST = 100;

const PAYMENT = `
  jsonb_build_object('paymentId', id, 'nonce', nonce, 'wallet', wallet, 'endpoint', endpoint, 'amountMicros', amount_micros,
    'chainId', chain_id, 'asset', asset, 'verifiedAt', ${iso('verified_at')}, 'attributedCostMicros',
    attributed_cost_micros, 'requestId', request_id)`;

const isOpen = `status IN ('settlement_pending', 'needs_reconciliation')`;

/** The payments of the table `sample` and their credits, as the gateway publishes them: all kinds, in its order. */
const EVENTS = `
  SELECT gen_random_uuid() AS id, type, key, ${iso('at')} AS at, data::text AS data FROM (
    SELECT '${PaymentSettlementPending.type}' AS type, wallet AS key, verified_at AS at, 1 AS place,
      ${PAYMENT} || jsonb_build_object('state', CASE WHEN ${isOpen} THEN status ELSE 'settlement_pending' END,
        'served', true, 'reason', NULL) AS data
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS number FROM sample) numbered
    WHERE ${isOpen} OR number % ${PENDING_FIRST} = 0
    UNION ALL
    SELECT '${PaymentSettled.type}', wallet, settled_at, 2,
      ${PAYMENT} || jsonb_build_object('transactionHash', transaction_hash, 'settledAt', ${iso('settled_at')},
        'served', true, 'tier', tier, 'rebateMicros', rebate_micros)
    FROM sample WHERE status = 'settled'
    UNION ALL
    SELECT '${PaymentSettlementFailed.type}', wallet, failed_at, 2,
      ${PAYMENT} || jsonb_build_object('transactionHash', transaction_hash, 'failedAt', ${iso('failed_at')},
        'served', served, 'reason', reason)
    FROM sample WHERE status = 'settlement_failed'
    UNION ALL
    SELECT '${CreditIssued.type}', c.wallet, c.issued_at, 3,
      jsonb_build_object('creditId', c.id, 'wallet', c.wallet, 'faceMicros', c.face_micros, 'paymentId', c.payment_id,
        'tier', c.tier, 'issuedAt', ${iso('c.issued_at')}, 'expiresAt', NULL)
    FROM credits c JOIN sample p ON p.id = c.payment_id
    UNION ALL
    SELECT '${CreditRedeemed.type}', wallet, redeemed_at, 4,
      jsonb_build_object('creditId', id, 'wallet', wallet, 'endpoint', endpoint, 'priceMicros', price_micros,
        'changeMicros', change_micros, 'attributedCostMicros', attributed_cost_micros, 'redeemedAt',
        ${iso('redeemed_at')}, 'requestId', request_id)
    FROM credits WHERE redeemed_at >= (SELECT min(verified_at) FROM sample)
  ) events
  ORDER BY events.at, place`;

/** @param client its session has the table `sample`, rows of `payments` */
export async function ledgerEvents(client: ClientBase): Promise<PublishedRow[]> {
  return (await client.query<PublishedRow>(EVENTS)).rows;
}
