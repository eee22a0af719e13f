import { LEDGER_PROJECTION } from '../../projection/project-ledger.consumer';
import { SUBSCRIPTIONS_PROJECTION } from '../../projection/subscriptions/project-subscriptions.consumer';
import { type Basis, COLUMNS } from '../figures/span-rows';
import { DETAIL_COLUMNS } from '../payments/payment-rows';
import type { PaymentsFileQuery } from '../payments/read-payments';
import type { CsvFile } from './csv-exports';

const isInDays = (instant: string): string => `${instant} >= $1::timestamptz AND ${instant} < $2::timestamptz`;

/** All payments of a window, newest first; by settlement those that settled or failed in it. */
export function paymentsFile({ basis, status, wallet }: PaymentsFileQuery): CsvFile {
  const { at } = COLUMNS[basis];
  return {
    name: basis === 'call' ? 'payments' : 'payments-settled',
    projection: LEDGER_PROJECTION,
    statement: `
      SELECT ${DETAIL_COLUMNS}, amount_micros AS amount_usd, rebate_micros AS rebate_accrued_usd,
        (SELECT c.id FROM credits c WHERE c.payment_id = p.id LIMIT 1) AS credit_id
      FROM payments p
      WHERE ${isInDays(at)} AND ($3::text IS NULL OR status = $3) AND ($4::text IS NULL OR wallet = $4)
      ORDER BY ${at} DESC, id DESC`,
    values: () => [status ?? null, wallet ?? null],
    titles:
      'id,verified_at,endpoint,amount_usd,amount_atomic,payer,network,asset,transaction_hash,status,settled_at,' +
      'rebate_accrued_usd,request_id,nonce,attributed_cost,tier,served,reason,failed_at,credit_id',
  };
}

/** Every wallet that paid in a window, with what it spent then and ever. */
export function customersFile(basis: Basis): CsvFile {
  const { gross, paid } = COLUMNS[basis];
  return {
    name: 'customers',
    projection: LEDGER_PROJECTION,
    statement: `
      SELECT t.wallet, tier, window_spend_usd, window_paid_calls, lifetime_micros AS lifetime_spend_usd, t.paid_calls,
        credit_calls, first_payment_at, last_payment_at
      FROM wallet_totals t JOIN (
        SELECT wallet, sum(${gross})::bigint AS window_spend_usd, sum(${paid}) AS window_paid_calls
        FROM wallet_days
        WHERE day >= ($1::timestamptz AT TIME ZONE 'UTC')::date AND day < ($2::timestamptz AT TIME ZONE 'UTC')::date
          AND ${paid} > 0
        GROUP BY wallet
      ) spent USING (wallet)
      ORDER BY window_spend_usd DESC, first_payment_at, t.wallet`,
    titles:
      'wallet,tier,window_spend_usd,window_paid_calls,lifetime_spend_usd,paid_calls,credit_calls,first_payment_at,' +
      'last_payment_at',
  };
}

/**
 * Every credit that was issued, redeemed or expired in a window, each on its own day, newest first. With the file of payments
 * it makes revenue, margin and what is owed.
 */
export const CREDITS_FILE: CsvFile = {
  name: 'credits',
  projection: LEDGER_PROJECTION,
  statement: `
    SELECT * FROM (
      SELECT 'issued' AS kind, issued_at AS at, id AS credit_id, wallet, face_micros AS face_value_usd,
        NULL::bigint AS price_usd, NULL::bigint AS change_usd, NULL::bigint AS attributed_cost, NULL AS endpoint,
        payment_id, tier, expires_at, NULL AS request_id
      FROM credits WHERE ${isInDays('issued_at')}
      UNION ALL
      SELECT 'redeemed', redeemed_at, id, wallet, price_micros + change_micros, price_micros, change_micros,
        attributed_cost_micros, endpoint, NULL, NULL, NULL, request_id
      FROM credits WHERE ${isInDays('redeemed_at')}
      UNION ALL
      SELECT 'expired', expires_at, id, wallet, face_micros, NULL, NULL, NULL, NULL, NULL, NULL, expires_at, NULL
      FROM credits
      WHERE redeemed_at IS NULL AND issued_at IS NOT NULL AND ${isInDays('expires_at')} AND expires_at <= $3
    ) lines
    ORDER BY at DESC, kind, credit_id`,
  values: (now) => [now],
  titles:
    'kind,at,credit_id,wallet,face_value_usd,price_usd,change_usd,attributed_cost,endpoint,payment_id,tier,' +
    'expires_at,request_id',
};

/**
 * Every paid invoice of a window and every adjustment, each on its own day, newest first. All amounts are positive, `kind`
 * says which way the money went, so that the sums of the answer can be made from the file alone. A dispute that is lost
 * moves none.
 */
export const INVOICES_FILE: CsvFile = {
  name: 'invoices',
  projection: SUBSCRIPTIONS_PROJECTION,
  statement: `
    SELECT * FROM (
      SELECT 'paid' AS kind, paid_at AS at, id AS invoice_id, NULL AS adjustment_id, user_id, subscription_id, plan_code,
        reason, amount_micros AS amount_usd, tax_micros AS tax_usd, period_start, period_end
      FROM invoices
      UNION ALL
      SELECT kind, occurred_at, invoice_id, id, user_id, NULL, NULL, NULL, amount_micros, 0, NULL, NULL
      FROM invoice_adjustments WHERE kind <> 'dispute_lost'
    ) lines
    WHERE ${isInDays('at')}
    ORDER BY at DESC, kind, coalesce(adjustment_id, invoice_id)`,
  titles:
    'kind,at,invoice_id,adjustment_id,user_id,subscription_id,plan_code,reason,amount_usd,tax_usd,period_start,' +
    'period_end',
};
