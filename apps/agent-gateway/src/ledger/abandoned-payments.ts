import { Clock } from '@evenkeel/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, type Repository } from 'typeorm';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { PaymentRow } from './ledger.entities';
import { RecordUncertain } from './unsettled-outcomes';

const AT_LEAST_MS = 15_000;
/** From the claim to the settle call, and from its answer to the commit. */
const AROUND_SETTLE_MS = 5_000;

/** A `settling` row that nobody settles becomes `settlement_pending`: its process died, or its request was over before the row was there. */
@Injectable()
export class TakeOver {
  constructor(
    private readonly dataSource: DataSource,
    private readonly uncertain: RecordUncertain,
    private readonly config: AgentGatewayConfig,
  ) {}

  /** Longer than a settle call can take: the process that was settling is gone. */
  get abandonedAfterMs(): number {
    return Math.max(AT_LEAST_MS, this.config.FACILITATOR_SETTLE_TIMEOUT_MS + AROUND_SETTLE_MS);
  }

  /**
   * Compares with the clock of the database, which stamped the claim: the clocks of replicas differ.
   * @returns whether the row is no longer held by a living process
   */
  async ifAbandoned({ id }: PaymentRow): Promise<boolean> {
    const [row] = await this.dataSource.query<{ abandoned: boolean }[]>(
      `SELECT ${abandonedSql('$2')} AS abandoned FROM payments WHERE id = $1`,
      [id, this.abandonedAfterMs],
    );
    if (!row?.abandoned) return false;
    await this.take(id);
    return true;
  }

  /**
   * For a claim that was not committed while its request lasted, so that nobody settles it: it need not be waited for until
   * it looks abandoned. Works in the background; when it fails, it does look abandoned in the end.
   */
  afterRequest({ id }: Pick<PaymentRow, 'id'>, claiming: Promise<boolean>): void {
    void claiming.then((claimed) => (claimed ? this.take(id) : undefined)).catch(() => undefined);
  }

  private async take(paymentId: string): Promise<void> {
    await this.uncertain.record({ paymentId, event: 'unknown' });
  }
}

/** SQL for whether a claim is older than so many milliseconds. */
function abandonedSql(afterMs: string): string {
  return `claimed_at <= clock_timestamp() - ${afterMs} * interval '1 ms'`;
}

const STRETCH_ROWS = 10_000;
/** Rows are in the order of the clocks of their replicas; each of these, and ours, may be five minutes off. */
const CLOCKS_DIFFER_MS = 11 * 60_000;
const SEARCH_AROUND_EVERY_MS = 60_000;

interface Stretch {
  rows: number;
  /** Claim time of its last row; null when it is empty. */
  ends_at: Date | null;
  abandoned: string[];
}

/**
 * Finds `settling` rows whose process is gone. No index has the state, because every settlement would pay for it, so the
 * search goes along the time of the claim, a bounded number of rows at once, and remembers where it was. Once a minute it
 * searches around its position too, for claims of replicas with other clocks.
 */
@Injectable()
export class AbandonedPayments {
  private readonly logger = new Logger('payments');
  private searchedTo = new Date(0);
  private searchesAround = false;
  private searchedAroundAt = new Date(0);
  /** Found and not taken over yet: another process had locked their wallet, or the time of the round was over. */
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
    const until = this.searchesAround ? new Date(now + CLOCKS_DIFFER_MS) : due;
    const { rows, ends_at: endsAt, abandoned } = await this.stretch(this.searchedTo, until);
    await this.takeOverAll([...new Set([...abandoned, ...this.left])], isLate);

    if (rows === STRETCH_ROWS && endsAt) this.searchedTo = endsAt;
    else this.endSearch(now, due);
    return rows === STRETCH_ROWS;
  }

  /** Each by itself: a payment that cannot be taken over now does not delay the others, and is tried again in the next round. */
  private async takeOverAll(ids: string[], isLate: () => boolean): Promise<void> {
    if (ids.length === 0) return;
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
    this.searchesAround = now - this.searchedAroundAt.getTime() >= SEARCH_AROUND_EVERY_MS;
    if (this.searchesAround) this.searchedAroundAt = new Date(now);
    this.searchedTo = this.searchesAround ? new Date(due.getTime() - CLOCKS_DIFFER_MS) : due;
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
