import { Clock } from '@evenkeel/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { PaymentRow } from './payment.entity';
import { abandonedSql, TakeOver } from './take-over';

const STRETCH_ROWS = 10_000;
/** Rows are in the order of their replicas' clocks, each of which may be five minutes off, and ours too. */
const CLOCKS_DIFFER_MS = 11 * 60_000;
const LOOK_AROUND_EVERY_MS = 60_000;

interface Stretch {
  rows: number;
  /** Claim time of its last row; null when it is empty. */
  ends_at: Date | null;
  abandoned: string[];
}

/**
 * Finds `settling` rows whose process is gone. No index has the state, because every settlement would pay for it, so the
 * search goes along the time of the claim, a bounded number of rows at once, and remembers where it was. Once a minute it
 * looks around its place too, for what replicas with other clocks have claimed.
 */
@Injectable()
export class AbandonedPayments {
  private readonly logger = new Logger('payments');
  private searchedTo = new Date(0);
  private looksAround = false;
  private lookedAroundAt = new Date(0);
  /** Found and not taken over yet: somebody had locked their wallet, or time was over. */
  private left: string[] = [];

  constructor(
    @InjectRepository(PaymentRow) private readonly payments: Repository<PaymentRow>,
    private readonly takeOver: TakeOver,
    private readonly clock: Clock,
  ) {}

  /** @returns whether there is more to search; a stretch that fails is searched again */
  async takeOverNext(isLate: () => boolean = () => false): Promise<boolean> {
    const now = this.clock.now().getTime();
    const due = new Date(now - this.takeOver.abandonedAfterMs);
    const until = this.looksAround ? new Date(now + CLOCKS_DIFFER_MS) : due;
    const { rows, ends_at: endsAt, abandoned } = await this.stretch(this.searchedTo, until);
    await this.takeOverAll([...new Set([...abandoned, ...this.left])], isLate);

    if (rows === STRETCH_ROWS && endsAt) this.searchedTo = endsAt;
    else this.endSearch(now, due);
    return rows === STRETCH_ROWS;
  }

  /** Each by itself: one that cannot be taken over now keeps no other waiting, and is tried again in the next round. */
  private async takeOverAll(ids: string[], isLate: () => boolean): Promise<void> {
    const payments = await this.payments.findBy({ id: In(ids), state: 'settling' });
    this.left = [];
    for (const payment of payments) {
      try {
        if (isLate()) this.left.push(payment.id);
        else await this.takeOver.ifAbandoned(payment);
      } catch (error) {
        this.left.push(payment.id);
        this.logger.warn({ message: 'a payment could not be taken over', paymentId: payment.id, error });
      }
    }
  }

  private endSearch(now: number, due: Date): void {
    this.looksAround = now - this.lookedAroundAt.getTime() >= LOOK_AROUND_EVERY_MS;
    if (this.looksAround) this.lookedAroundAt = new Date(now);
    this.searchedTo = this.looksAround ? new Date(due.getTime() - CLOCKS_DIFFER_MS) : due;
  }

  private async stretch(since: Date, until: Date): Promise<Stretch> {
    const [stretch] = await this.payments.query<[Stretch]>(
      `SELECT count(*)::integer AS rows, max(created_at) AS ends_at,
         coalesce(array_agg(id) FILTER (WHERE state = 'settling' AND ${abandonedSql('$4')}), '{}') AS abandoned
       FROM (
         SELECT id, state, created_at, claimed_at FROM payments
         WHERE created_at BETWEEN $1 AND $2 ORDER BY created_at LIMIT $3
       ) AS stretch`,
      [since, until, STRETCH_ROWS, this.takeOver.abandonedAfterMs],
    );
    return stretch;
  }
}
