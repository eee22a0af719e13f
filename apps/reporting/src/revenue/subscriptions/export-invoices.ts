import { SUBSCRIPTIONS_PROJECTION } from '../../projection/subscriptions/project-subscriptions.consumer';
import { type CsvFile, IS_IN_DAYS } from '../csv-exports';

const STATEMENT = `
  SELECT * FROM (
    SELECT 'paid' AS kind, paid_at AS at, id AS invoice_id, NULL AS adjustment_id, user_id, subscription_id, plan_code,
      reason, amount_micros AS amount_usd, tax_micros AS tax_usd, period_start, period_end
    FROM invoices
    UNION ALL
    SELECT kind, occurred_at, invoice_id, id, user_id, NULL, NULL, NULL, amount_micros, 0, NULL, NULL
    FROM invoice_adjustments WHERE kind <> 'dispute_lost'
  ) lines
  WHERE ${IS_IN_DAYS('at')}
  ORDER BY at DESC, kind, coalesce(adjustment_id, invoice_id)`;

/**
 * Every paid invoice of a window and every adjustment, each on its own day, newest first. All amounts are positive, `kind`
 * says which way the money went, so that the sums of the answer can be made from the file alone. A dispute that is lost
 * moves none.
 */
export const INVOICES_FILE: CsvFile = {
  name: 'invoices',
  projection: SUBSCRIPTIONS_PROJECTION,
  statement: STATEMENT,
  columns: {
    kind: 'text',
    at: 'text',
    invoice_id: 'text',
    adjustment_id: 'text',
    user_id: 'text',
    subscription_id: 'text',
    plan_code: 'text',
    reason: 'text',
    amount_usd: 'amount',
    tax_usd: 'amount',
    period_start: 'text',
    period_end: 'text',
  },
};
