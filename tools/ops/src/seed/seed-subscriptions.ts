import { Random } from '@evenkeel/kernel/random';
import { type Cells, CopyTable } from './copy-table';
import { endOf, type SeedOptions } from './seed-options';
import { type MadeAdjustment, type MadeInvoice, type MadeVersion, Subscribers } from './subscribers';

const DAY_MS = 86_400_000;

export const SUBSCRIPTION_TABLES = ['subscription_versions', 'invoices', 'invoice_adjustments'] as const;

const VERSION_COLUMNS =
  'user_id, version, changed_at, plans, active, past_due, trialing, scheduled_to_cancel, granted_until, day, mrr_micros, ' +
  'has_paid, movement, movement_micros';

const INVOICE_COLUMNS =
  'id, user_id, subscription_id, plan_code, amount_micros, tax_micros, reason, period_start, period_end, paid_at';

const ADJUSTMENT_COLUMNS = 'id, kind, user_id, invoice_id, amount_micros, occurred_at';

/** So many lives between two looks at whether the database keeps up. */
const PART = 1_000;

/**
 * Fills the tables of subscriptions. Memory grows with days, not with subscriptions.
 * @param tell called now and then with the number of subscribers so far
 */
export async function seedSubscriptions(
  url: string,
  { subscriptions, days, seed, ...options }: SeedOptions,
  tell: (done: number) => void,
): Promise<void> {
  const open = {
    versions: await CopyTable.open(url, 'subscription_versions', VERSION_COLUMNS),
    invoices: await CopyTable.open(url, 'invoices', INVOICE_COLUMNS),
    adjustments: await CopyTable.open(url, 'invoice_adjustments', ADJUSTMENT_COLUMNS),
  };
  const endMs = endOf(options);
  // A sequence of its own: the payments of a seed are the same with any number of subscriptions.
  const subscribers = new Subscribers(endMs - days * DAY_MS, endMs, new Random(seed ^ 0x5eed), {
    version: (version) => open.versions.add(versionCells(version)),
    invoice: (invoice) => open.invoices.add(invoiceCells(invoice)),
    adjustment: (adjustment) => open.adjustments.add(adjustmentCells(adjustment)),
  });
  try {
    for (let done = 0; done < subscriptions; done += PART) {
      for (let life = done; life < Math.min(subscriptions, done + PART); life++) subscribers.live();
      for (const table of Object.values(open)) await table.drained();
      tell(Math.min(subscriptions, done + PART));
    }
    for (const table of Object.values(open)) await table.finish();
  } catch (error) {
    for (const table of Object.values(open)) await table.abandon();
    throw error;
  }
}

/** The change of a user's MRR by a version. */
function movementOf({ mrrMicros, movedMicros, hadPaid }: MadeVersion): string | null {
  if (movedMicros === 0) return null;
  if (mrrMicros === movedMicros) return hadPaid ? 'reactivation' : 'new';
  if (mrrMicros === 0) return 'churn';
  return movedMicros > 0 ? 'expansion' : 'contraction';
}

const instant = (ms: number): string => new Date(ms).toISOString();
const counts = (is: boolean): number => (is ? 1 : 0);

function versionCells(version: MadeVersion): Cells {
  const { userId, version: number, atMs, plan, status, isScheduledToCancel, hasGrant, mrrMicros } = version;
  return [
    ...[userId, number, instant(atMs), plan === null ? '{}' : `{"${plan}": ${mrrMicros}}`],
    ...[counts(status === 'ACTIVE'), counts(status === 'PAST_DUE'), counts(status === 'TRIALING')],
    ...[counts(isScheduledToCancel), hasGrant ? 'infinity' : null, instant(atMs).slice(0, 10), mrrMicros],
    ...[version.hasPaid ? 't' : 'f', movementOf(version), version.movedMicros],
  ];
}

function invoiceCells({ id, userId, plan, paidMs, periodEndMs, ...invoice }: MadeInvoice): Cells {
  const { amountMicros, taxMicros, reason } = invoice;
  const subscription = `sub_${userId}`;
  const paid = instant(paidMs);
  return [id, userId, subscription, plan, amountMicros, taxMicros, reason, paid, instant(periodEndMs), paid];
}

function adjustmentCells({ id, kind, userId, invoiceId, amountMicros, atMs }: MadeAdjustment): Cells {
  return [id, kind, userId, invoiceId, amountMicros, instant(atMs)];
}
