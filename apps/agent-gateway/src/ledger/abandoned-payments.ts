import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { PaymentRow } from './payment.entity';
import { ABANDONED_AFTER_MS, TakeOver } from './take-over';

const STRETCH_ROWS = 10_000;
/** Clocks of replicas differ by up to a minute: what a slow one claims appears behind the search. */
const LOOK_BACK_MS = 120_000;
const LOOK_BACK_EVERY_MS = 60_000;

interface Stretch {
  rows: number;
  /** Claim time of its last row; null when it is empty. */
  ends_at: Date | null;
  settling: string[];
}

/**
 * Finds `settling` rows whose process is gone. No index has the state, because every settlement would pay for it, so the
 * search goes along the time of the claim, a bounded number of rows at once, and remembers where it was.
 */
@Injectable()
export class AbandonedPayments {
  private searchedTo = new Date(0);
  private lookedBackAt = new Date(0);

  constructor(
    @InjectRepository(PaymentRow) private readonly payments: Repository<PaymentRow>,
    private readonly takeOver: TakeOver,
    private readonly clock: Clock,
  ) {}

  /** @returns whether there is more to search; a stretch that fails is searched again */
  async takeOverNext(): Promise<boolean> {
    const now = this.clock.now().getTime();
    const before = new Date(now - ABANDONED_AFTER_MS);
    const { rows, ends_at: endsAt, settling } = await this.stretch(this.searchedTo, before);
    for (const payment of await this.payments.findBy({ id: In(settling) })) await this.takeOver.ifAbandoned(payment);

    if (rows === STRETCH_ROWS && endsAt) this.searchedTo = endsAt;
    else this.endSearch(now, before);
    return rows === STRETCH_ROWS;
  }

  private endSearch(now: number, before: Date): void {
    const looksBack = now - this.lookedBackAt.getTime() >= LOOK_BACK_EVERY_MS;
    if (looksBack) this.lookedBackAt = new Date(now);
    this.searchedTo = looksBack ? new Date(before.getTime() - LOOK_BACK_MS) : before;
  }

  private async stretch(since: Date, before: Date): Promise<Stretch> {
    const [stretch] = await this.payments.query<[Stretch]>(
      `SELECT count(*)::integer AS rows, max(created_at) AS ends_at,
         coalesce(array_agg(id) FILTER (WHERE state = 'settling'), '{}') AS settling
       FROM (
         SELECT id, state, created_at FROM payments
         WHERE created_at BETWEEN $1 AND $2 ORDER BY created_at LIMIT $3
       ) AS stretch`,
      [since, before, STRETCH_ROWS],
    );
    return stretch;
  }
}
