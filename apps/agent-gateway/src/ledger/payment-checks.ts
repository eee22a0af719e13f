import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, type Repository } from 'typeorm';
import { PaymentCheckRow, PaymentRow } from './ledger.entities';

const FIRST_PAUSE_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 600;
/** How many are taken at once. */
export const CHECKS_AT_ONCE = 50;

export interface DueCheck {
  payment: PaymentRow;
  settleAgain: boolean;
  /** The block to which the chain was searched for the use of its authorization; null: not yet. */
  searchedTo: bigint | null;
}

/** `bigint` of the database comes as text. */
interface TakenRow {
  payment_id: string;
  settle_again: boolean;
  searched_to: string | null;
}

/** Which payments the worker looks at next: after 5 s, then in doubling pauses of at most 10 min. */
@Injectable()
export class PaymentChecks {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(PaymentRow) private readonly payments: Repository<PaymentRow>,
    private readonly clock: Clock,
  ) {}

  /** Takes what is due by moving its next check away: two workers do not take the same, and none is lost with a worker. */
  async take(): Promise<DueCheck[]> {
    const now = this.clock.now();
    const [taken] = await this.dataSource.query<[TakenRow[], number]>(
      `UPDATE payment_checks SET attempts = attempts + 1,
         next_at = $1::timestamptz + least($2 * power(2, least(attempts + 1, 20)), $3) * interval '1 second'
       WHERE payment_id IN (
         SELECT payment_id FROM payment_checks WHERE next_at <= $1 ORDER BY next_at LIMIT $4 FOR UPDATE SKIP LOCKED
       ) RETURNING payment_id, settle_again, searched_to`,
      [now, FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, CHECKS_AT_ONCE],
    );
    if (taken.length === 0) return [];
    const payments = await this.payments.findBy({ id: In(taken.map(({ payment_id }) => payment_id)) });
    const rows = new Map(taken.map((row) => [row.payment_id, row]));
    return payments.map((payment) => {
      const { settle_again: settleAgain, searched_to: searchedTo } = rows.get(payment.id)!;
      return { payment, settleAgain, searchedTo: searchedTo === null ? null : BigInt(searchedTo) };
    });
  }

  async rememberSearch(paymentId: string, searchedTo: bigint): Promise<void> {
    await this.dataSource.query(`UPDATE payment_checks SET searched_to = $2 WHERE payment_id = $1`, [
      paymentId,
      String(searchedTo),
    ]);
  }

  async remove(paymentId: string): Promise<void> {
    await this.dataSource.getRepository(PaymentCheckRow).delete({ paymentId });
  }
}

/** Ten minutes past its end no transaction can include the authorization any more, whatever the clocks say. */
const EXPIRED_FOR_GOOD_MS = 10 * 60_000;

/** From when on a payment that was not settled by then never will be. */
export function expiredForGoodAt({ validBefore }: Pick<PaymentRow, 'validBefore'>): Date {
  return new Date(validBefore.getTime() + EXPIRED_FOR_GOOD_MS);
}
