import { usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { SUBSCRIPTIONS_PROJECTION } from '../../projection/subscriptions/project-subscriptions.consumer';
import type { CsvFile } from '../csv-exports';

const TITLES = [
  ...['kind', 'at', 'invoice_id', 'adjustment_id', 'user_id', 'subscription_id', 'plan_code', 'reason'],
  ...['amount_usd', 'tax_usd', 'period_start', 'period_end'],
];

const STATEMENT = `
  SELECT * FROM (
    SELECT 'paid' AS kind, paid_at AS at, id AS invoice_id, NULL AS adjustment_id, user_id, subscription_id, plan_code,
      reason, amount_micros, tax_micros, period_start, period_end
    FROM invoices
    UNION ALL
    SELECT kind, occurred_at, invoice_id, id, user_id, NULL, NULL, NULL, amount_micros, 0, NULL, NULL
    FROM invoice_adjustments WHERE kind <> 'dispute_lost'
  ) lines
  WHERE at >= $1::timestamptz AND at < $2::timestamptz + interval '24 hours'
  ORDER BY at DESC, kind, coalesce(adjustment_id, invoice_id)`;

interface InvoiceLine {
  kind: string;
  at: Date;
  invoice_id: string | null;
  adjustment_id: string | null;
  user_id: string;
  subscription_id: string | null;
  plan_code: string | null;
  reason: string | null;
  amount_micros: string;
  tax_micros: string;
  period_start: Date | null;
  period_end: Date | null;
}

/**
 * Every paid invoice of a window and every adjustment, each on its own day, newest first. All amounts are positive, `kind`
 * says which way the money went, so that the sums of the answer can be made from the file alone. A dispute that is lost
 * moves none.
 */
export const INVOICES_FILE: CsvFile<InvoiceLine> = {
  name: 'invoices',
  projection: SUBSCRIPTIONS_PROJECTION,
  statement: STATEMENT,
  titles: TITLES,
  recordOf,
};

function recordOf(line: InvoiceLine): (string | null)[] {
  return [
    ...[line.kind, line.at.toISOString(), line.invoice_id, line.adjustment_id, line.user_id],
    ...[line.subscription_id, line.plan_code, line.reason],
    ...[exact(line.amount_micros), exact(line.tax_micros)],
    ...[line.period_start?.toISOString() ?? null, line.period_end?.toISOString() ?? null],
  ];
}

function exact(micros: string): string {
  return usdAmount(readMicros(micros)).usd_exact;
}
