import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { LedgerPages } from './ledger-pages';
import { differenceOf, type LedgerPayment } from './ledger-payment';
import type { Compare, Stretch } from './compare';
import type { Comparison } from './report';

/** Published events are kept for 14 days. */
const KEPT_MS = 13 * 24 * 3_600_000;

/** What is settled has been announced with its amount, and nothing else has. */
@Injectable()
export class CompareWithOutbox implements Compare {
  constructor(
    private readonly ledger: LedgerPages,
    private readonly clock: Clock,
  ) {}

  async execute({ since, until, isLate, report }: Stretch): Promise<Comparison> {
    const comparison: Comparison = { with: 'outbox', matched: 0, oursOnly: [], theirsOnly: [], comparedUntil: since };
    for await (const payments of this.ledger.between(since, until)) {
      const announced = await this.ledger.announced(payments.map(({ id }) => id));
      for (const payment of payments) this.compare(payment, announced.get(payment.id), comparison);
      comparison.comparedUntil = payments.at(-1)?.createdAt ?? until;
      report(`outbox: ${comparison.comparedUntil.toISOString()}`);
      if (isLate()) return comparison;
    }
    return { ...comparison, comparedUntil: until };
  }

  private compare(payment: LedgerPayment, announcedMicros: number | undefined, comparison: Comparison): void {
    if (payment.state !== 'settled') {
      if (announcedMicros !== undefined) comparison.theirsOnly.push(differenceOf(payment, NOT_SETTLED));
    } else if (announcedMicros === payment.amountMicros) comparison.matched += 1;
    else if (announcedMicros !== undefined) comparison.oursOnly.push(differenceOf(payment, OTHER_AMOUNT));
    else if (this.isKept(payment)) comparison.oursOnly.push(differenceOf(payment, NOT_ANNOUNCED));
  }

  private isKept({ settledAt }: LedgerPayment): boolean {
    return settledAt !== null && this.clock.now().getTime() - settledAt.getTime() < KEPT_MS;
  }
}

const NOT_ANNOUNCED =
  'Settled without an event, so reporting does not know of it. Both are written by one statement: the table was changed ' +
  'by hand or restored in part. Restore the outbox, or correct reporting and keep this report.';
const OTHER_AMOUNT = 'Announced with another amount than the ledger has. Find out which row was changed by hand.';
const NOT_SETTLED =
  'Announced as settled, and not settled in the ledger: reporting counts money that the ledger does not. Find out who ' +
  'changed the row.';
