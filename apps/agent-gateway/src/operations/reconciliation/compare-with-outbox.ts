import { PaymentSettled } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { differenceOf, LedgerPages } from './ledger-pages';
import type { Comparison, Period } from './report';

/** Published events are stored for 14 days. */
const STORED_MS = 13 * 24 * 3_600_000;

/** The id of an event begins with the time of its settlement: the lowest id of a millisecond. */
const idAt = (instant: string) =>
  `(lpad(to_hex(floor(extract(epoch FROM ${instant}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;
const amountWhere = (condition: string) => `
  SELECT (o.payload->>'amountMicros')::bigint FROM outbox o
  WHERE ${condition} AND o.subject = p.id::text AND o.type = '${PaymentSettled.type}' LIMIT 1`;
// First where the time of the settlement says that the event is, then among all events of the wallet.
const ANNOUNCED = `
  SELECT p.id, coalesce(
    (${amountWhere(`o.id >= ${idAt('p.settled_at')} AND o.id < ${idAt(`p.settled_at + interval '1 ms'`)}`)}),
    (${amountWhere('o.aggregate = p.payer')})
  ) AS amount
  FROM payments p WHERE p.id = ANY($1)`;

/** Checks that each settled payment was announced with its amount, and no other. */
@Injectable()
export class CompareWithOutbox {
  readonly isPossible = true;

  constructor(
    private readonly ledger: LedgerPages,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async execute({ since, until, isLate, report }: Period): Promise<Comparison> {
    const comparison: Comparison = { with: 'outbox', matched: 0, oursOnly: [], theirsOnly: [], comparedUntil: since };
    const storedSince = new Date(this.clock.now().getTime() - STORED_MS);
    for await (const payments of this.ledger.between(since, until)) {
      const announced = await this.announced(payments.map(({ id }) => id));
      for (const payment of payments) {
        const micros = announced.get(payment.id);
        if (payment.state !== 'settled') {
          if (micros !== undefined) comparison.theirsOnly.push(differenceOf(payment, NOT_SETTLED));
        } else if (micros === payment.priceMicros) comparison.matched += 1;
        else if (micros !== undefined) comparison.oursOnly.push(differenceOf(payment, OTHER_AMOUNT));
        else if (payment.settledAt! > storedSince) comparison.oursOnly.push(differenceOf(payment, NOT_ANNOUNCED));
      }
      comparison.comparedUntil = payments.at(-1)?.createdAt ?? until;
      report(`outbox: ${comparison.comparedUntil.toISOString()}`);
      if (isLate()) return comparison;
    }
    return { ...comparison, comparedUntil: until };
  }

  /** The amounts that were announced as settled, by payment. */
  private async announced(ids: string[]): Promise<Map<string, number>> {
    const rows = await this.dataSource.query<{ id: string; amount: string | null }[]>(ANNOUNCED, [ids]);
    return new Map(rows.filter(({ amount }) => amount !== null).map(({ id, amount }) => [id, Number(amount)]));
  }
}

const NOT_ANNOUNCED =
  'Settled without an event, so reporting does not know of it. Both are written by one statement: the table was changed ' +
  'by hand or restored in part. Restore the outbox, or correct reporting and keep this report.';
const OTHER_AMOUNT = 'Announced with another amount than the ledger has. Find out which row was changed by hand.';
const NOT_SETTLED =
  'Announced as settled, and not settled in the ledger: reporting counts money that the ledger does not. Find out who ' +
  'changed the row.';
