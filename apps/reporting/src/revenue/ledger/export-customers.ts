import { usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { LEDGER_PROJECTION } from '../../projection/project-ledger.consumer';
import type { CsvFile } from '../csv-exports';
import { type Basis, COLUMNS } from '../figures/basis';
import { checksummed } from '../payments/checksummed';

const TITLES = [
  'wallet',
  'tier',
  'window_spend_usd',
  'window_paid_calls',
  'lifetime_spend_usd',
  'paid_calls',
  'credit_calls',
  'first_payment_at',
  'last_payment_at',
];

interface CustomerLine extends Record<'spend' | 'paid' | 'lifetime_micros' | 'paid_calls' | 'credit_calls', string> {
  wallet: string;
  tier: string;
  first_payment_at: Date;
  last_payment_at: Date;
}

const statementOn = (basis: Basis): string => {
  const { walletGross, walletPaid } = COLUMNS[basis];
  return `
    SELECT t.wallet, tier, spend, paid, lifetime_micros, t.paid_calls, credit_calls, first_payment_at, last_payment_at
    FROM wallet_totals t JOIN (
      SELECT wallet, sum(${walletGross})::bigint AS spend, sum(${walletPaid}) AS paid FROM wallet_days
      WHERE day BETWEEN ($1::timestamptz AT TIME ZONE 'UTC')::date AND ($2::timestamptz AT TIME ZONE 'UTC')::date
        AND ${walletPaid} > 0
      GROUP BY wallet
    ) spent USING (wallet)
    ORDER BY spend DESC, first_payment_at, t.wallet`;
};

/** Every wallet that paid in a window, with what it spent then and ever. */
export function customersFile(basis: Basis): CsvFile<CustomerLine> {
  return { name: 'customers', projection: LEDGER_PROJECTION, statement: statementOn(basis), titles: TITLES, recordOf };
}

function recordOf(line: CustomerLine): string[] {
  const exact = (micros: string): string => usdAmount(readMicros(micros)).usd_exact;
  return [
    checksummed(line.wallet),
    line.tier,
    exact(line.spend),
    line.paid,
    exact(line.lifetime_micros),
    line.paid_calls,
    line.credit_calls,
    line.first_payment_at.toISOString(),
    line.last_payment_at.toISOString(),
  ];
}
