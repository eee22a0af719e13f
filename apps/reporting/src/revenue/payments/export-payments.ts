import { Clock } from '@evenkeel/kernel';
import { CsvStream, SnapshotRows } from '@evenkeel/platform/lists';
import { Freshness, type FreshnessReading } from '@evenkeel/platform/projection';
import { RateLimited, ServiceUnavailable } from '@evenkeel/platform/http';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Window, windowUntil } from '../figures/window';
import { PAYMENT_COLUMNS, type PaymentRow, type PaymentStatus, paymentView } from './payment-rows';

/** An export holds a connection until its reader has all of it. */
const AT_ONCE = 2;

const RETRY_AFTER_SECONDS = 5;

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

interface PaymentsExport {
  stream: CsvStream<PaymentRow>;
  window: Window;
  freshness: FreshnessReading;
}

/** All payments of a window as CSV, newest first, read from one state of the database while they are sent. */
@Injectable()
export class ExportPayments {
  private open = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly freshness: Freshness,
    private readonly clock: Clock,
  ) {}

  /** @throws RateLimited when others are at it, ServiceUnavailable */
  async execute(days: number, status: PaymentStatus | undefined): Promise<PaymentsExport> {
    if (this.open >= AT_ONCE) throw new RateLimited({ scope: 'concurrency' }, RETRY_AFTER_SECONDS);
    this.open++;
    try {
      const window = windowUntil(this.clock.now(), days);
      const freshness = await this.freshness.read();
      const values = [`${window.from}T00:00:00Z`, `${window.to}T00:00:00Z`, status ?? null];
      const rows = await SnapshotRows.open<PaymentRow>(this.dataSource, STATEMENT, values);
      const stream = new CsvStream(rows, PAYMENT_TITLES, recordOf);
      stream.once('close', () => this.open--);
      return { stream, window, freshness };
    } catch (error) {
      this.open--;
      new Logger('revenue').warn({ message: 'payments could not be exported', error });
      throw new ServiceUnavailable();
    }
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
