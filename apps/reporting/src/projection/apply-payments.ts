import { PaymentSettled, PaymentSettlementFailed, PaymentSettlementPending } from '@evenkeel/contracts';
import type { EventEnvelope } from '@evenkeel/platform/messaging';
import type { EntityManager } from 'typeorm';
import { dailyTotals, payerCounts, settlementTotals, tierTotals, walletMonths, walletTotals } from './payment-rollups';

export const PAYMENT_EVENTS = [PaymentSettled, PaymentSettlementFailed, PaymentSettlementPending] as const;

// The events of a payment differ in their rank alone, so the highest decides the whole row: whatever comes late, twice
// or in another order, the row ends the same. Nothing outranks settled, so a payment becomes revenue once.
const APPLY = `
  WITH told AS (
    SELECT DISTINCT ON ("paymentId") * FROM jsonb_to_recordset($1::jsonb) AS event (
      "paymentId" uuid, wallet text, endpoint text, "amountMicros" bigint, "chainId" bigint, asset text,
      "transactionHash" text, status text, "verifiedAt" timestamptz, "settledAt" timestamptz, "failedAt" timestamptz,
      served boolean, reason text, tier text, "rebateMicros" bigint, "attributedCostMicros" bigint, "requestId" text
    )
    ORDER BY "paymentId", payment_status_rank(status) DESC
  ),
  written AS (
    INSERT INTO payments AS p (id, wallet, endpoint, amount_micros, chain_id, asset, transaction_hash, status,
      verified_at, settled_at, failed_at, served, reason, tier, rebate_micros, attributed_cost_micros, request_id)
    SELECT "paymentId", wallet, endpoint, "amountMicros", "chainId", asset, "transactionHash", status, "verifiedAt",
      "settledAt", "failedAt", coalesce(served, false), reason, tier, coalesce("rebateMicros", 0),
      "attributedCostMicros", "requestId"
    FROM told
    ON CONFLICT (id, verified_at) DO UPDATE SET
      transaction_hash = excluded.transaction_hash, status = excluded.status, settled_at = excluded.settled_at,
      failed_at = excluded.failed_at, served = excluded.served, reason = excluded.reason, tier = excluded.tier,
      rebate_micros = excluded.rebate_micros, attributed_cost_micros = excluded.attributed_cost_micros
    WHERE payment_status_rank(excluded.status) > payment_status_rank(p.status)
    RETURNING new.*, old.status AS status_before, old.served AS served_before,
      old.attributed_cost_micros AS cost_before
  ),
  changed AS (
    SELECT *, (verified_at AT TIME ZONE 'UTC')::date AS day,
      CASE WHEN status = 'settled' OR (status = 'settlement_failed' AND served) THEN attributed_cost_micros ELSE 0 END
        - CASE WHEN status_before = 'settlement_failed' AND served_before THEN cost_before ELSE 0 END AS cost_micros
    FROM written
  ),
  paid AS (SELECT * FROM changed WHERE status = 'settled'),
  ${[dailyTotals, walletTotals, walletMonths, tierTotals, payerCounts].join(',')}
  ${settlementTotals}`;

type PaymentData = PaymentSettled | PaymentSettlementFailed | PaymentSettlementPending;

/** Writes payments into the copy of the ledger, and what they change into the rollups: one statement. */
export async function applyPayments(tx: EntityManager, events: readonly EventEnvelope<unknown>[]): Promise<void> {
  const told = events.filter(({ type }) => PAYMENT_EVENTS.some((event) => event.type === type));
  if (told.length === 0) return;
  const rows = told.map(({ type, data }) => ({
    ...(data as PaymentData),
    status: statusOf(type, data as PaymentData),
  }));
  await tx.query(APPLY, [JSON.stringify(rows)]);
}

function statusOf(type: string, data: PaymentData): string {
  if (type === PaymentSettled.type) return 'settled';
  return type === PaymentSettlementFailed.type ? 'settlement_failed' : (data as PaymentSettlementPending).state;
}
