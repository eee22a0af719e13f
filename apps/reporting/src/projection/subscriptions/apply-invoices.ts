import { InvoiceAdjusted, InvoicePaid } from '@evenkeel/contracts';
import type { EventEnvelope } from '@evenkeel/platform/messaging';
import type { EntityManager } from 'typeorm';

// An invoice and an adjustment are final: each counts when it was not known before, on its own day.
const PAID = `
  WITH added AS (
    INSERT INTO invoices (id, user_id, subscription_id, plan_code, amount_micros, tax_micros, reason, period_start,
      period_end, paid_at)
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS event ("invoiceId" text, "userId" uuid, "subscriptionId" text,
      "planCode" text, "amountMicros" bigint, "taxMicros" bigint, reason text, "periodStart" timestamptz,
      "periodEnd" timestamptz, "paidAt" timestamptz)
    ON CONFLICT DO NOTHING RETURNING *
  )
  INSERT INTO invoice_days AS t (day, paid, gross_micros, tax_micros)
  SELECT (paid_at AT TIME ZONE 'UTC')::date AS day, count(*), sum(amount_micros), sum(tax_micros) FROM added GROUP BY day
  ON CONFLICT (day) DO UPDATE SET
    paid = t.paid + excluded.paid, gross_micros = t.gross_micros + excluded.gross_micros,
    tax_micros = t.tax_micros + excluded.tax_micros`;

const ADJUSTED = `
  WITH added AS (
    INSERT INTO invoice_adjustments (id, kind, user_id, invoice_id, amount_micros, occurred_at)
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS event ("adjustmentId" text, kind text, "userId" uuid,
      "invoiceId" text, "amountMicros" bigint, "occurredAt" timestamptz)
    ON CONFLICT DO NOTHING RETURNING *
  )
  INSERT INTO invoice_days AS t (day, refunded_micros, disputed_micros)
  SELECT (occurred_at AT TIME ZONE 'UTC')::date AS day,
    coalesce(sum(CASE WHEN kind = 'refund' THEN amount_micros ELSE -amount_micros END)
      FILTER (WHERE kind IN ('refund', 'refund_failed')), 0),
    coalesce(sum(CASE WHEN kind = 'dispute' THEN amount_micros ELSE -amount_micros END)
      FILTER (WHERE kind IN ('dispute', 'dispute_won')), 0)
  FROM added GROUP BY day
  ON CONFLICT (day) DO UPDATE SET
    refunded_micros = t.refunded_micros + excluded.refunded_micros,
    disputed_micros = t.disputed_micros + excluded.disputed_micros`;

/** Stores paid invoices and what was given back of them, and updates the days. */
export async function applyInvoices(tx: EntityManager, events: readonly EventEnvelope<unknown>[]): Promise<void> {
  await applyAll(tx, PAID, events, InvoicePaid.type);
  await applyAll(tx, ADJUSTED, events, InvoiceAdjusted.type);
}

async function applyAll(tx: EntityManager, sql: string, events: readonly EventEnvelope<unknown>[], type: string) {
  const published = events.filter((event) => event.type === type).map(({ data }) => data);
  if (published.length > 0) await tx.query(sql, [JSON.stringify(published)]);
}
