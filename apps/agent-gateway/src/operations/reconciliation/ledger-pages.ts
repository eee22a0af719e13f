import { Injectable } from '@nestjs/common';
import { openPool } from '@evenkeel/platform/persistence';
import { Between, DataSource, In, Not } from 'typeorm';
import { PaymentRow } from '../../ledger/ledger.entities';
import type { Difference } from './report';

const PAGE_ROWS = 500;
const DAY_MS = 24 * 3_600_000;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const SORTED_WITHIN_MS = 60_000;
const SHARING = `
  SELECT id FROM (
    SELECT id, created_at, count(*) OVER (PARTITION BY chain_id, transaction_hash COLLATE "C") AS payments FROM payments
    WHERE state = 'settled' AND transaction_hash IS NOT NULL AND created_at >= $1 AND created_at < $2
  ) AS one WHERE payments > 1 ORDER BY created_at LIMIT ${PAGE_ROWS}`;

export function differenceOf(payment: PaymentRow, remedy: string): Difference {
  const { payer, nonce, priceMicros: amountMicros, transactionHash, state } = payment;
  return { payer, nonce, amountMicros, transactionHash, state, remedy };
}

/** The command that closes it. */
export function closeCommand({ payer, nonce }: Pick<PaymentRow, 'payer' | 'nonce'>, outcome: string): string {
  return `npm run payment:close -- ${payer} ${nonce} ${outcome}`;
}

/** Reads the payments of the ledger. */
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

  /**
   * Payments claimed in this time that were settled by a transaction which settled others of it too. It sorts all of them, as no
   * index has the hash, and so has a connection on which a statement may take longer.
   */
  async sharing(since: Date, until: Date): Promise<PaymentRow[]> {
    const pool = openPool(this.dataSource.options, { max: 1, statementMs: SORTED_WITHIN_MS });
    try {
      const { rows } = await pool.query<{ id: string }>(SHARING, [since, until]);
      return await this.dataSource.getRepository(PaymentRow).findBy({ id: In(rows.map(({ id }) => id)) });
    } finally {
      await pool.end();
    }
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
