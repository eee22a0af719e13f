import { Clock } from '@evenkeel/kernel';
import { RateLimited, ServiceUnavailable } from '@evenkeel/platform/http';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import { Freshness, type FreshnessReading } from '../../freshness/freshness';
import { type Window, windowUntil } from '../figures/window';
import { PAYMENT_COLUMNS, type PaymentRow, type PaymentStatus, paymentView } from '../payments/payment-rows';
import { CsvStream } from './csv-stream';

/** A reader may be slow, but not for ever: it holds a connection and keeps the database from cleaning up. */
const IDLE_LIMIT = '60s';

/** Rows of one state of the database, a few at a time, on a connection of its own. */
class RowCursor<Row> {
  private constructor(private readonly runner: QueryRunner) {}

  static async open<Row>(dataSource: DataSource, statement: string, values: unknown[]): Promise<RowCursor<Row>> {
    const cursor = new RowCursor<Row>(dataSource.createQueryRunner());
    try {
      await cursor.begin(statement, values);
      return cursor;
    } catch (error) {
      await cursor.close();
      throw error;
    }
  }

  /** The next rows; empty at the end. */
  async next(count: number): Promise<Row[]> {
    return this.runner.manager.query<Row[]>(`FETCH ${count} FROM export`);
  }

  /** Ends the query, wherever it is. */
  async close(): Promise<void> {
    if (this.runner.isTransactionActive) await this.runner.rollbackTransaction().catch(() => undefined);
    await this.runner.release();
  }

  private async begin(statement: string, values: unknown[]): Promise<void> {
    await this.runner.startTransaction('REPEATABLE READ');
    await this.runner.query('SET TRANSACTION READ ONLY');
    await this.runner.query(`SET LOCAL idle_in_transaction_session_timeout = '${IDLE_LIMIT}'`);
    await this.runner.query(`DECLARE export NO SCROLL CURSOR FOR ${statement}`, values);
  }
}

/** Each holds a connection for as long as its reader takes. */
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
      const cursor = await RowCursor.open<PaymentRow>(this.dataSource, STATEMENT, values);
      const stream = new CsvStream(cursor, PAYMENT_TITLES, recordOf);
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
