import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import type { PaymentRow } from './payment.entity';
import { RecordUncertain } from './record-uncertain';

const AT_LEAST_MS = 15_000;
/** From the claim to the settle call, and from its answer to the commit. */
const AROUND_SETTLE_MS = 5_000;

/** A `settling` row whose process died becomes `settlement_pending`, by the worker or by a repeat, whichever comes first. */
@Injectable()
export class TakeOver {
  constructor(
    private readonly dataSource: DataSource,
    private readonly doubts: RecordUncertain,
    private readonly config: AgentGatewayConfig,
  ) {}

  /** Longer than a settle call can take: whoever was settling is gone. */
  get abandonedAfterMs(): number {
    return Math.max(AT_LEAST_MS, this.config.FACILITATOR_SETTLE_TIMEOUT_MS + AROUND_SETTLE_MS);
  }

  /**
   * By the clock of the database, which has stamped the claim: those of replicas differ.
   * @returns whether the row is no longer held by a living process
   */
  async ifAbandoned({ id }: PaymentRow): Promise<boolean> {
    const [row] = await this.dataSource.query<{ abandoned: boolean }[]>(
      `SELECT ${abandonedSql('$2')} AS abandoned FROM payments WHERE id = $1`,
      [id, this.abandonedAfterMs],
    );
    if (!row?.abandoned) return false;
    await this.doubts.record({
      paymentId: id,
      event: 'unknown',
      reason: null,
      transactionHash: null,
      settleAgain: false,
      answer: null,
    });
    return true;
  }
}

/** SQL for whether a claim is older than so many milliseconds. */
export function abandonedSql(afterMs: string): string {
  return `claimed_at <= clock_timestamp() - ${afterMs} * interval '1 ms'`;
}
