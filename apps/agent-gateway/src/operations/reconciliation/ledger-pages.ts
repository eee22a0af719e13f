import { PaymentSettled } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import { Between, DataSource, Not } from 'typeorm';
import { PaymentRow } from '../../ledger/ledger.entities';
import { ledgerPayment, type LedgerPayment } from './ledger-payment';

const PAGE_ROWS = 500;
const DAY_MS = 24 * 3_600_000;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/** The id of an event begins with the time of its settlement: the lowest id of a millisecond. */
const idAt = (instant: string) =>
  `(lpad(to_hex(floor(extract(epoch FROM ${instant}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;
const amountWhere = (condition: string) => `
  SELECT (o.payload->>'amountMicros')::bigint FROM outbox o
  WHERE ${condition} AND o.subject = p.id::text AND o.type = '${PaymentSettled.type}' LIMIT 1`;

/** Reads the ledger and its outbox, in bounded statements. */
@Injectable()
export class LedgerPages {
  constructor(private readonly dataSource: DataSource) {}

  /** Payments claimed in this time, without its end, in order of the claim. */
  async *between(since: Date, until: Date): AsyncGenerator<LedgerPayment[]> {
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
      yield rows.map(ledgerPayment);
      const last = rows.at(-1);
      if (!last || rows.length < PAGE_ROWS) return;
      after = { at: last.createdAt, id: last.id };
    }
  }

  /** Other payments of a day that name the same transaction: no index has the hash, because every settlement would pay for it. */
  async settledBy({ id, payer, transactionHash, createdAt }: LedgerPayment): Promise<LedgerPayment[]> {
    const rows = await this.dataSource.getRepository(PaymentRow).findBy({
      id: Not(id),
      payer,
      transactionHash: transactionHash!,
      createdAt: Between(new Date(createdAt.getTime() - DAY_MS), new Date(createdAt.getTime() + DAY_MS)),
      state: 'settled',
    });
    return rows.map(ledgerPayment);
  }

  /** The amounts that were announced as settled, by payment. */
  async announced(ids: string[]): Promise<Map<string, number>> {
    // First where the time of the settlement says that the event is, then among all events of the wallet.
    const rows = await this.dataSource.query<{ id: string; amount: string | null }[]>(
      `SELECT p.id, coalesce(
         (${amountWhere(`o.id >= ${idAt('p.settled_at')} AND o.id < ${idAt(`p.settled_at + interval '1 ms'`)}`)}),
         (${amountWhere('o.aggregate = p.payer')})
       ) AS amount
       FROM payments p WHERE p.id = ANY($1)`,
      [ids],
    );
    return new Map(rows.flatMap(({ id, amount }) => (amount === null ? [] : [[id, Number(amount)] as const])));
  }
}
