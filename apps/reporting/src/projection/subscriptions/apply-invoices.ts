import { InvoiceAdjusted, InvoicePaid } from '@evenkeel/contracts';
import type { EventEnvelope } from '@evenkeel/platform/messaging';
import type { EntityManager } from 'typeorm';

// An invoice and an adjustment are final: each is there once, on its own day.
const PAID = `
  INSERT INTO invoices (id, user_id, subscription_id, plan_code, amount_micros, tax_micros, reason, period_start,
    period_end, paid_at)
  SELECT * FROM jsonb_to_recordset($1::jsonb) AS event ("invoiceId" text, "userId" uuid, "subscriptionId" text,
    "planCode" text, "amountMicros" bigint, "taxMicros" bigint, reason text, "periodStart" timestamptz,
    "periodEnd" timestamptz, "paidAt" timestamptz)
  ON CONFLICT DO NOTHING`;

const ADJUSTED = `
  INSERT INTO invoice_adjustments (id, kind, user_id, invoice_id, amount_micros, occurred_at)
  SELECT * FROM jsonb_to_recordset($1::jsonb) AS event ("adjustmentId" text, kind text, "userId" uuid,
    "invoiceId" text, "amountMicros" bigint, "occurredAt" timestamptz)
  ON CONFLICT DO NOTHING`;

export async function applyInvoices(tx: EntityManager, events: readonly EventEnvelope<unknown>[]): Promise<void> {
  await applyAll(tx, PAID, events, InvoicePaid.type);
  await applyAll(tx, ADJUSTED, events, InvoiceAdjusted.type);
}

async function applyAll(tx: EntityManager, sql: string, events: readonly EventEnvelope<unknown>[], type: string) {
  const published = events.filter((event) => event.type === type).map(({ data }) => data);
  if (published.length > 0) await tx.query(sql, [JSON.stringify(published)]);
}
