import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RevenueSnapshot } from '../revenue-snapshot';
import { cursorOf, type PaymentPlace } from './payment-cursor';
import { PAYMENT_COLUMNS, paymentView, type PaymentRow } from './payment-rows';
import type { PaymentStatus } from './payment-status';
import type { PaymentsView } from './payments.view';

export interface PaymentsPage {
  limit: number;
  status?: PaymentStatus;
  after?: PaymentPlace;
}

/** Payments, newest first: a page costs its rows, wherever it begins. */
@Injectable()
export class ReadPayments {
  constructor(private readonly snapshot: RevenueSnapshot) {}

  async execute(page: PaymentsPage): Promise<PaymentsView> {
    return this.snapshot.read(async (tx) => {
      const rows = await readPage(tx, page);
      const shown = rows.slice(0, page.limit);
      const last = shown.at(-1);
      const hasMore = rows.length > page.limit;
      return {
        limit: page.limit,
        count: shown.length,
        payments: shown.map(paymentView),
        next_cursor: hasMore && last ? cursorOf({ verifiedAtMicros: last.verified_at_micros, id: last.id }) : null,
      };
    });
  }
}

/** One row more than is shown tells whether there is another page. */
async function readPage(tx: EntityManager, { limit, status, after }: PaymentsPage): Promise<PaymentRow[]> {
  const values: unknown[] = [limit + 1];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [];
  if (status) conditions.push(`status = ${parameter(status)}`);
  if (after) {
    const at = `${parameter(instantOf(after.verifiedAtMicros))}::timestamptz`;
    // Said twice: the row comparison finds the place, the plain one leaves out the months after it.
    conditions.push(`verified_at <= ${at}`, `(verified_at, id) < (${at}, ${parameter(after.id)}::uuid)`);
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  return tx.query<PaymentRow[]>(
    `SELECT ${PAYMENT_COLUMNS} FROM payments ${where} ORDER BY verified_at DESC, id DESC LIMIT $1`,
    values,
  );
}

function instantOf(micros: string): string {
  const [milliseconds, rest] = [BigInt(micros) / 1_000n, BigInt(micros) % 1_000n];
  return new Date(Number(milliseconds)).toISOString().replace('Z', `${String(rest).padStart(3, '0')}Z`);
}
