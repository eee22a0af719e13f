import { LEDGER_PROJECTION } from '../../projection/project-ledger.consumer';
import type { CsvFile } from '../csv-exports';
import { type Basis, COLUMNS } from '../figures/basis';

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
    columns: {
      wallet: 'address',
      tier: 'text',
      window_spend_usd: 'amount',
      window_paid_calls: 'text',
      lifetime_spend_usd: 'amount',
      paid_calls: 'text',
      credit_calls: 'text',
      first_payment_at: 'text',
      last_payment_at: 'text',
    },
  };
}
