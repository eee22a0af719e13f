import { Injectable } from '@nestjs/common';
import { LEDGER_PROJECTION } from '../../projection/project-ledger.consumer';
import { type CsvExport, CsvExports } from '../csv-exports';
import { PAYMENT_COLUMNS, type PaymentRow, type PaymentStatus, paymentView } from './payment-rows';

export const PAYMENT_TITLES = [
  'id',
  'verified_at',
  'endpoint',
  'amount_usd',
  'amount_atomic',
  'payer',
  'network',
  'asset',
  'transaction_hash',
  'status',
  'settled_at',
  'rebate_accrued_usd',
  'request_id',
];

const STATEMENT = `
  SELECT ${PAYMENT_COLUMNS} FROM payments
  WHERE verified_at >= $1::timestamptz AND verified_at < $2::timestamptz + interval '24 hours'
    AND ($3::text IS NULL OR status = $3)
  ORDER BY verified_at DESC, id DESC`;

/** All payments of a window as CSV, newest first. */
@Injectable()
export class ExportPayments {
  constructor(private readonly exports: CsvExports) {}

  /** @throws RateLimited when others are at it, ServiceUnavailable */
  execute(days: number, status: PaymentStatus | undefined): Promise<CsvExport> {
    return this.exports.execute<PaymentRow>(days, {
      ...{ name: 'payments', projection: LEDGER_PROJECTION, statement: STATEMENT, values: [status ?? null] },
      ...{ titles: PAYMENT_TITLES, recordOf },
    });
  }
}

function recordOf(row: PaymentRow): (string | null)[] {
  const payment = paymentView(row);
  return [
    payment.id,
    payment.verified_at,
    payment.endpoint,
    payment.amount.usd_exact,
    payment.amount_atomic,
    payment.payer,
    payment.network,
    payment.asset,
    payment.transaction_hash,
    payment.status,
    payment.settled_at,
    payment.rebate_accrued.usd_exact,
    payment.request_id,
  ];
}
