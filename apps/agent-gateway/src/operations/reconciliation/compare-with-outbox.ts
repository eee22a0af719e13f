import { PaymentSettled } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { PaymentRow } from '../../ledger/ledger.entities';
import { differenceOf, LedgerPages } from './ledger-pages';
import type { Comparison, Period } from './report';

/** Published events are stored for 14 days. */
const STORED_MS = 13 * 24 * 3_600_000;

/** The id of an event begins with the time of its settlement: the lowest id of a millisecond. */
const idAt = (instant: string) =>
  `(lpad(to_hex(floor(extract(epoch FROM ${instant}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;
/** Events by the time in their ids: those of a wallet have no other order, and may be millions. */
const settledBetween = (since: string, until: string) =>
  `o.id >= ${idAt(since)} AND o.id < ${idAt(until)} AND o.type = '${PaymentSettled.type}'`;
const ANNOUNCED = `
  SELECT p.id, (o.payload->>'amountMicros')::bigint AS amount
  FROM payments p
  JOIN outbox o ON ${settledBetween('p.settled_at', `p.settled_at + interval '1 ms'`)} AND o.subject = p.id::text
  WHERE p.id = ANY($1)`;
const NOT_SETTLED = `
  SELECT p.id FROM outbox o JOIN payments p ON p.id = o.subject::uuid
  WHERE ${settledBetween('$1::timestamptz', '$2::timestamptz')} AND p.state <> 'settled'`;

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
      for (const payment of payments.filter(({ state }) => state === 'settled')) {
        const micros = announced.get(payment.id);
        if (micros === payment.priceMicros) comparison.matched += 1;
        else if (micros !== undefined) comparison.oursOnly.push(differenceOf(payment, OTHER_AMOUNT));
        else if (payment.settledAt! > storedSince) comparison.oursOnly.push(differenceOf(payment, NOT_ANNOUNCED));
      }
      await this.addUnsettled(comparison, payments.at(-1)?.createdAt ?? until);
      report(`outbox: ${comparison.comparedUntil.toISOString()}`);
      if (isLate()) return comparison;
    }
    await this.addUnsettled(comparison, until);
    return comparison;
  }

  /** The amounts that were announced as settled, by payment. */
  private async announced(ids: string[]): Promise<Map<string, number>> {
    const rows = await this.dataSource.query<{ id: string; amount: string }[]>(ANNOUNCED, [ids]);
    return new Map(rows.map(({ id, amount }) => [id, Number(amount)]));
  }

  /** Adds the payments that were announced as settled since the comparison ended, and are not settled. */
  private async addUnsettled(comparison: Comparison, until: Date): Promise<void> {
    const rows = await this.dataSource.query<{ id: string }[]>(NOT_SETTLED, [comparison.comparedUntil, until]);
    const payments = await this.dataSource.getRepository(PaymentRow).findBy({ id: In(rows.map(({ id }) => id)) });
    comparison.theirsOnly.push(...payments.map((payment) => differenceOf(payment, NOT_SETTLED_HERE)));
    comparison.comparedUntil = until;
  }
}

const NOT_ANNOUNCED =
  'Settled without an event, so reporting does not know of it. Both are written by one statement: the table was changed ' +
  'by hand or restored in part. Restore the outbox, or correct reporting and keep this report.';
const OTHER_AMOUNT = 'Announced with another amount than the ledger has. Find out which row was changed by hand.';
const NOT_SETTLED_HERE =
  'Announced as settled, and not settled in the ledger: reporting counts money that the ledger does not. Find out who ' +
  'changed the row.';
