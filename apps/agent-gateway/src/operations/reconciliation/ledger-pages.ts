import { Injectable } from '@nestjs/common';
import { Between, DataSource, Not } from 'typeorm';
import { PaymentRow } from '../../ledger/ledger.entities';
import type { Difference } from './report';

const PAGE_ROWS = 500;
const DAY_MS = 24 * 3_600_000;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

export function differenceOf(payment: PaymentRow, remedy: string): Difference {
  const { payer, nonce, priceMicros: amountMicros, transactionHash, state } = payment;
  return { payer, nonce, amountMicros, transactionHash, state, remedy };
}

/** The command that closes it. */
export function closeCommand({ payer, nonce }: Pick<PaymentRow, 'payer' | 'nonce'>, outcome: string): string {
  return `npm run payment:close -- ${payer} ${nonce} ${outcome}`;
}

/** Reads the payments of the ledger, in bounded statements. */
@Injectable()
export class LedgerPages {
  constructor(private readonly dataSource: DataSource) {}

  /** Payments claimed in this time, without its end, in order of the claim. */
  async *between(since: Date, until: Date): AsyncGenerator<PaymentRow[]> {
    let after = { at: since, id: LOWEST_ID };
    for (;;) {
      const rows = await this.dataSource
        .createQueryBuilder(PaymentRow, 'p')
        .where('p.created_at >= :at AND (p.created_at, p.id) > (:at, :id) AND p.created_at < :until', {
          ...after,
          until,
        })
        .orderBy('p.created_at')
        .addOrderBy('p.id')
        .limit(PAGE_ROWS)
        .getMany();
      yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < PAGE_ROWS) return;
      after = { at: last.createdAt, id: last.id };
    }
  }

  /** Payments claimed in this time that were settled by a transaction which settled others of it too. */
  async sharing(since: Date, until: Date): Promise<PaymentRow[]> {
    return this.dataSource
      .createQueryBuilder(PaymentRow, 'p')
      .where(
        `p.id IN (SELECT id FROM (
           SELECT id, count(*) OVER (PARTITION BY chain_id, transaction_hash) AS payments FROM payments
           WHERE state = 'settled' AND transaction_hash IS NOT NULL AND created_at >= :since AND created_at < :until
         ) AS one WHERE payments > 1)`,
        { since, until },
      )
      .orderBy('p.created_at')
      .limit(PAGE_ROWS)
      .getMany();
  }

  /** Other payments of a day that name the same transaction: no index has the hash, because every settlement would pay for it. */
  async settledBy({ id, payer, transactionHash, createdAt }: PaymentRow): Promise<PaymentRow[]> {
    return this.dataSource.getRepository(PaymentRow).findBy({
      id: Not(id),
      payer,
      transactionHash: transactionHash!,
      createdAt: Between(new Date(createdAt.getTime() - DAY_MS), new Date(createdAt.getTime() + DAY_MS)),
      state: 'settled',
    });
  }
}
