import { LEDGER_PROJECTION } from '../../projection/project-ledger.consumer';
import type { CsvFile } from '../csv-exports';
import { type Basis, COLUMNS } from '../figures/basis';
import { DETAIL_COLUMNS, type PaymentDetailRow, paymentDetailView, type PaymentStatus } from './payment-rows';

export const PAYMENT_TITLES = [
  ...['id', 'verified_at', 'endpoint', 'amount_usd', 'amount_atomic', 'payer', 'network', 'asset'],
  ...['transaction_hash', 'status', 'settled_at', 'rebate_accrued_usd', 'request_id'],
  ...['nonce', 'attributed_cost', 'tier', 'served', 'reason', 'failed_at', 'credit_id'],
];

type ExportedRow = PaymentDetailRow & { credit_id: string | null };

const statementOn = (basis: Basis): string => {
  const { at } = COLUMNS[basis];
  return `
    SELECT ${DETAIL_COLUMNS}, (SELECT c.id FROM credits c WHERE c.payment_id = p.id LIMIT 1) AS credit_id
    FROM payments p
    WHERE ${at} >= $1::timestamptz AND ${at} < $2::timestamptz + interval '24 hours'
      AND ($3::text IS NULL OR status = $3) AND ($4::text IS NULL OR wallet = $4)
    ORDER BY ${at} DESC, id DESC`;
};

interface PaymentsOfFile {
  basis: Basis;
  status: PaymentStatus | undefined;
  /** Lower case. */
  wallet: string | undefined;
}

/** All payments of a window, newest first; by settlement those that settled or failed in it. */
export function paymentsFile({ basis, status, wallet }: PaymentsOfFile): CsvFile<ExportedRow> {
  return {
    name: basis === 'call' ? 'payments' : 'payments-settled',
    projection: LEDGER_PROJECTION,
    statement: statementOn(basis),
    values: () => [status ?? null, wallet ?? null],
    titles: PAYMENT_TITLES,
    recordOf,
  };
}

function recordOf(row: ExportedRow): (string | null)[] {
  const payment = paymentDetailView(row);
  const { amount, rebate_accrued: rebate, attributed_cost: cost, served } = payment;
  return [
    ...[payment.id, payment.verified_at, payment.endpoint, amount.usd_exact, payment.amount_atomic, payment.payer],
    ...[payment.network, payment.asset, payment.transaction_hash, payment.status, payment.settled_at],
    ...[rebate.usd_exact, payment.request_id, payment.nonce, cost.usd_exact, payment.tier],
    ...[served === null ? null : String(served), payment.reason, payment.failed_at, row.credit_id],
  ];
}
