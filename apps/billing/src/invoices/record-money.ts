import { InvoiceAdjusted, InvoicePaid, type AdjustmentKind, type InvoiceReason } from '@evenkeel/contracts';
import { announce } from '@evenkeel/platform/messaging';
import { Injectable, Module } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BillingConfig } from '../billing.config';
import type { Adjustment, KnownCharge, PaidInvoiceRow } from './read-money';

/**
 * Waits until no other transaction is at work on the same charge. To be called before the customer is locked, so that two
 * transactions never wait for each other.
 */
export async function lockCharge(tx: EntityManager, chargeId: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [chargeId]);
}

export async function customerOfCharge(tx: EntityManager, chargeId: string): Promise<string | null> {
  const [row] = await tx.query<{ customer_id: string }[]>('SELECT customer_id FROM charges WHERE charge_id = $1', [
    chargeId,
  ]);
  return row?.customer_id ?? null;
}

/** Remembers whose a charge is: refunds and disputes of it that have come, and that will, are linked by it. */
export async function rememberCharge(
  tx: EntityManager,
  { chargeId, customerId, invoiceId }: KnownCharge,
): Promise<void> {
  await tx.query(
    `INSERT INTO charges AS c (charge_id, customer_id, invoice_id) VALUES ($1, $2, $3)
     ON CONFLICT (charge_id) DO UPDATE SET invoice_id = coalesce(c.invoice_id, excluded.invoice_id)`,
    [chargeId, customerId, invoiceId],
  );
  await tx.query(
    `UPDATE adjustments SET customer_id = $2, invoice_id = coalesce(invoice_id, $3)
     WHERE charge_id = $1 AND (customer_id IS NULL OR invoice_id IS NULL)`,
    [chargeId, customerId, invoiceId],
  );
  await tx.query('UPDATE provider_events SET customer_id = $2 WHERE charge_id = $1 AND customer_id IS NULL', [
    chargeId,
    customerId,
  ]);
}

/** Reports are in USD: what was paid in another currency is stored and listed, and not published. */
const PUBLISHED_CURRENCY = 'usd';
const MICROS_PER_CENT = 10_000;

interface InvoiceRow {
  invoice_id: string;
  subscription_id: string | null;
  plan_code: string | null;
  amount_cents: string;
  tax_cents: string;
  reason: InvoiceReason;
  period_start: Date | null;
  period_end: Date | null;
  paid_at: Date;
  published: boolean;
}

interface AdjustmentRow {
  adjustment_id: string;
  kind: AdjustmentKind;
  invoice_id: string | null;
  amount_cents: string;
  occurred_at: Date;
  published: boolean;
}

/** Sales of others at the same account are no money of ours. */
const OF_A_SALE = (row: string) => `EXISTS (
  SELECT FROM subscriptions s WHERE s.subscription_id = ${row}.subscription_id AND s.user_id IS NOT NULL)`;

/**
 * Money that went back is ours when its invoice is of a sale: a customer of ours may have bought something else too. Where
 * no key is set the invoice of a charge cannot be asked for, and the customer decides.
 */
const OF_A_SOLD_INVOICE = `(
  EXISTS (SELECT FROM invoices i WHERE i.invoice_id = a.invoice_id AND i.user_id IS NOT NULL)
  OR (a.invoice_id IS NULL AND $3::boolean))`;

const IS_PUBLISHED = `currency = '${PUBLISHED_CURRENCY}' AND amount_cents > 0`;

/**
 * Keeps paid invoices and what was paid back, and publishes each once, as soon as it is known whose it is. Runs in the
 * transaction of the event that tells of it, after the lock of the customer. SQL, not entities: each statement decides by
 * rows of other tables, and returns those that it has changed.
 */
@Injectable()
export class RecordMoney {
  constructor(private readonly config: BillingConfig) {}

  /** @param userId null: it waits for the link of its customer */
  async invoice(tx: EntityManager, invoice: PaidInvoiceRow, userId: string | null): Promise<void> {
    const { invoiceId, customerId, subscriptionId, planCode, currency, amountCents, taxCents } = invoice;
    const rows = await tx.query<InvoiceRow[]>(
      `INSERT INTO invoices (invoice_id, customer_id, user_id, subscription_id, plan_code, currency, amount_cents,
         tax_cents, reason, period_start, period_end, paid_at, published)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (invoice_id) DO NOTHING RETURNING *`,
      [
        invoiceId,
        customerId,
        userId,
        subscriptionId,
        planCode,
        currency,
        amountCents,
        taxCents,
        invoice.reason,
        invoice.periodStart,
        invoice.periodEnd,
        invoice.paidAt,
        userId !== null && currency === PUBLISHED_CURRENCY && amountCents > 0,
      ],
    );
    if (userId === null) return;
    await this.publishInvoices(tx, rows, userId);
    if (customerId !== null) await this.publishWaitingAdjustments(tx, customerId, userId);
  }

  /**
   * @param owner as far as it is known
   * @returns null when other events have announced it; else the invoice that its charge has paid, if it is known
   */
  async adjustment(
    tx: EntityManager,
    adjustment: Adjustment,
    owner: Record<'chargeId' | 'customerId' | 'userId', string | null>,
  ): Promise<{ invoiceId: string | null } | null> {
    const { adjustmentId, kind, currency, amountCents, occurredAt } = adjustment;
    const { chargeId, customerId, userId } = owner;
    const [added] = await tx.query<{ invoiceId: string | null }[]>(
      `INSERT INTO adjustments (adjustment_id, kind, charge_id, customer_id, invoice_id, currency, amount_cents,
         occurred_at, published)
       VALUES ($1, $2, $3, $4, (SELECT invoice_id FROM charges WHERE charge_id = $3), $5, $6, $7, false)
       ON CONFLICT (adjustment_id, kind) DO NOTHING RETURNING invoice_id AS "invoiceId"`,
      [adjustmentId, kind, chargeId, customerId, currency, amountCents, occurredAt],
    );
    if (userId !== null && customerId !== null) await this.publishWaitingAdjustments(tx, customerId, userId);
    return added ?? null;
  }

  /** Publishes what has waited to know whose the customer is; its events wait no longer either. */
  async publishWaiting(tx: EntityManager, customerId: string, userId: string): Promise<void> {
    await tx.query(
      `UPDATE provider_events e SET applied = true, reason = NULL
       WHERE e.customer_id = $1 AND e.reason = 'unmatched_customer' AND (e.subscription_id IS NULL OR ${OF_A_SALE('e')})`,
      [customerId],
    );
    const [invoices] = await tx.query<[InvoiceRow[], number]>(
      `UPDATE invoices i SET user_id = $2, published = (${IS_PUBLISHED})
       WHERE i.customer_id = $1 AND i.user_id IS NULL AND (i.plan_code IS NOT NULL OR ${OF_A_SALE('i')}) RETURNING *`,
      [customerId, userId],
    );
    await this.publishInvoices(tx, invoices, userId);
    await this.publishWaitingAdjustments(tx, customerId, userId);
  }

  private async publishWaitingAdjustments(tx: EntityManager, customerId: string, userId: string): Promise<void> {
    const [adjustments] = await tx.query<[AdjustmentRow[], number]>(
      `UPDATE adjustments a SET user_id = $2, published = (${IS_PUBLISHED})
       WHERE a.customer_id = $1 AND a.user_id IS NULL AND ${OF_A_SOLD_INVOICE} RETURNING *`,
      [customerId, userId, this.config.STRIPE_SECRET_KEY === undefined],
    );
    await this.publishAdjustments(tx, adjustments, userId);
  }

  private async publishInvoices(tx: EntityManager, rows: readonly InvoiceRow[], userId: string): Promise<void> {
    const published = rows.filter((row) => row.published);
    for (const row of published.sort((a, b) => a.paid_at.getTime() - b.paid_at.getTime())) {
      const data: InvoicePaid = {
        invoiceId: row.invoice_id,
        userId,
        subscriptionId: row.subscription_id,
        planCode: row.plan_code,
        amountMicros: Number(row.amount_cents) * MICROS_PER_CENT,
        taxMicros: Number(row.tax_cents) * MICROS_PER_CENT,
        reason: row.reason,
        periodStart: row.period_start?.toISOString() ?? null,
        periodEnd: row.period_end?.toISOString() ?? null,
        paidAt: row.paid_at.toISOString(),
      };
      await announce(tx, InvoicePaid, { key: userId, subject: data.invoiceId, occurredAt: row.paid_at, data });
    }
  }

  private async publishAdjustments(tx: EntityManager, rows: readonly AdjustmentRow[], userId: string): Promise<void> {
    const published = rows.filter((row) => row.published);
    for (const row of published.sort((a, b) => a.occurred_at.getTime() - b.occurred_at.getTime())) {
      const data: InvoiceAdjusted = {
        adjustmentId: row.adjustment_id,
        userId,
        invoiceId: row.invoice_id,
        kind: row.kind,
        amountMicros: Number(row.amount_cents) * MICROS_PER_CENT,
        occurredAt: row.occurred_at.toISOString(),
      };
      await announce(tx, InvoiceAdjusted, {
        key: userId,
        subject: data.adjustmentId,
        occurredAt: row.occurred_at,
        data,
      });
    }
  }
}

/** Payments, and money that went back. */
@Module({ providers: [RecordMoney], exports: [RecordMoney] })
export class InvoicesModule {}
