import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError, Clock } from '@evenkeel/kernel';
import { currentTraceparent, traced } from '@evenkeel/platform/observability';
import { Injectable, Logger } from '@nestjs/common';
import type { Deadline } from '../calls/call';
import { type Payment, PaymentRefused, settlementResponse } from '../calls/payment';
import { knownCode, type SettleOutcome } from '../facilitator/read-answers';
import type { AnswerRecord, IssuedCredit } from '../ledger/answers';
import type { Claim } from '../ledger/claim-payments';
import { FindPayments } from '../ledger/find-payments';
import type { PaymentRow } from '../ledger/ledger.entities';
import { RecordUncertain, type UncertainOutcome, RecordFailure } from '../ledger/unsettled-outcomes';
import { RecordSettlements, TransferTaken } from '../ledger/record-settlements';
import { GatewayMetrics } from '../metrics/gateway-metrics';

/** The facilitator was not asked to settle: nothing is charged, and the same payment may come again. */
export class PaymentVerificationUnavailable extends DomainError {
  readonly kind = 'upstream_unavailable';
  readonly code = 'payment_verification_unavailable';
  override readonly retryAfterSeconds = 2;
  override readonly details = { charged: false, retry: 'retry_same' };

  constructor() {
    super('The payment could not be verified just now. Nothing was charged; repeat the identical request.');
  }
}

/** The facilitator was asked to settle and the outcome is uncertain. Never a 402: a correct client would sign and pay twice. */
export class SettlementUnknown extends DomainError {
  readonly kind = 'upstream_unavailable';
  readonly code = 'settlement_unknown';
  override readonly details = { charged: null, retry: 'retry_same' };

  constructor(override readonly retryAfterSeconds = 5) {
    super(
      'Whether the payment was taken is not known yet. Repeat the identical request: it never charges twice ' +
        'and gets its answer once the payment has settled.',
    );
  }
}

/** The same payment is worked on by another request, or too many payments are. */
export class PaymentInProgress extends DomainError {
  readonly kind = 'rate_limited';
  readonly code = 'rate_limited';
  override readonly retryAfterSeconds = 1;
  override readonly details: Readonly<Record<string, unknown>>;

  constructor(scope: 'payment_in_progress' | 'concurrency') {
    super(
      scope === 'concurrency'
        ? 'Too many paid calls are running. Repeat the identical request in a second: it never charges twice.'
        : 'This payment is still being worked on. Repeat the identical request in a second.',
    );
    // The ledger was not asked: this may be the repeat of a call that was charged.
    this.details = { scope, charged: null, retry: 'retry_same' };
  }
}

/** A definite refusal of settle: the result is withheld, nothing was charged. */
export function settlementFailed(payment: Payment, reason: string | null): PaymentRefused {
  const details = reason === null ? {} : { error_reason: reason };
  const refused = new PaymentRefused(
    'settlement_failed',
    'The payment was refused at settlement; nothing was charged.',
    details,
  );
  const errorReason = reason ?? 'settlement_failed';
  const response = settlementResponse(payment, { status: 'settlement_failed', transactionHash: null, errorReason });
  Object.assign(refused.headers, response);
  return refused;
}

/** Verify refused the payment. The answer shows its reason, and our own code for a well-known one. */
export function paymentRejected(reason: string | null): PaymentRefused {
  const code = knownCode(reason);
  const details = { ...(reason !== null && { invalid_reason: reason }), ...(code !== undefined && { code }) };
  return new PaymentRefused('payment_rejected', 'The payment did not verify.', details);
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 60_000;
const DRAIN_MS = 3_000;

export type RecordedOutcome = Pick<PaymentRow, 'state' | 'served' | 'transactionHash' | 'reason'> & {
  answered: boolean;
  /** Issued with that answer. */
  credit: IssuedCredit | null;
};

/** Records the outcome of a settle call in the ledger: one transaction per outcome. */
@Injectable()
export class RecordOutcome {
  private readonly logger = new Logger('payments');
  private readonly background = new Set<Promise<void>>();
  private stopped = false;

  constructor(
    private readonly settlements: RecordSettlements,
    private readonly uncertain: RecordUncertain,
    private readonly failures: RecordFailure,
    private readonly payments: FindPayments,
    private readonly metrics: GatewayMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * @param first whether it answers the payment's first settle call: a later refusal decides nothing
   * @param answer recorded with it when the outcome allows the answer to be given
   * @param deadline of the request that waits
   */
  async record(
    payment: Claim,
    outcome: SettleOutcome,
    first: boolean,
    answer: AnswerRecord | null,
    deadline?: Deadline,
  ): Promise<RecordedOutcome> {
    if (outcome.kind === 'settled') {
      try {
        return await this.settled(payment, outcome.transactionHash, answer, deadline);
      } catch (error) {
        if (!(error instanceof TransferTaken)) throw error;
        // A batch may have paid both, so the chain decides: its transfers are distinguished there.
        this.metrics.settleContradictions += 1;
        const message = 'the facilitator claims success by what paid another payment';
        this.logger.error({ message, paymentId: payment.id, error });
        return this.record(payment, { kind: 'contradictory', reason: null }, first, answer, deadline);
      }
    }
    if (outcome.kind === 'refused' && first) {
      return { ...(await this.failures.record(payment.id, 'refused', outcome.reason)), answered: false, credit: null };
    }
    const { payment: row, answered } = await this.uncertain.record(uncertaintyOf(payment.id, outcome, answer));
    return { ...row, answered, credit: null };
  }

  /** For an outcome that no request waits for any more: tried until it is committed. */
  recordInBackground(payment: Claim, outcome: SettleOutcome, first: boolean): void {
    const work = this.recordUntilCommitted(payment, outcome, first);
    this.background.add(work);
    void work.finally(() => this.background.delete(work));
  }

  /** Before a shutdown: waits a few seconds for writes in the background. The worker finds the payments that are left. */
  async drain(): Promise<void> {
    await Promise.race([Promise.all(this.background), sleep(DRAIN_MS, undefined, { ref: false })]);
    this.stopped = true;
  }

  private async recordUntilCommitted(payment: Claim, outcome: SettleOutcome, first: boolean): Promise<void> {
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
      try {
        await this.record(payment, outcome, first, null);
        return;
      } catch (error) {
        this.logger.warn({ message: 'the outcome of a settlement is not written yet', paymentId: payment.id, error });
        if (this.stopped) return;
        await sleep(waitMs, undefined, { ref: false });
      }
    }
  }

  private async settled(
    payment: Claim,
    transactionHash: string | null,
    answer: AnswerRecord | null,
    deadline?: Deadline,
  ): Promise<RecordedOutcome> {
    const traceparent = currentTraceparent();
    const settlement = { payment, transactionHash, settledAt: this.clock.now(), answer, traceparent };
    const { change, credit, knownHash } = await traced('record', () => this.settlements.record(settlement, deadline));
    if (change === 'answered') {
      const hash = transactionHash ?? knownHash ?? null;
      return { state: 'settled', served: true, transactionHash: hash, reason: null, answered: true, credit };
    }
    return { ...(await this.payments.byId(payment.id)), answered: false, credit: null };
  }
}

function uncertaintyOf(
  paymentId: string,
  outcome: Exclude<SettleOutcome, { kind: 'settled' }>,
  answer: AnswerRecord | null,
): UncertainOutcome {
  const contested = outcome.kind === 'nonce_used' || outcome.kind === 'reverted';
  const mayBeServed = outcome.kind === 'silent' || outcome.kind === 'pending';
  return {
    paymentId,
    event: contested ? 'contested' : 'unknown',
    reason: outcome.reason,
    transactionHash: 'transactionHash' in outcome ? outcome.transactionHash : null,
    settleAgain: outcome.kind === 'pending',
    answer: mayBeServed ? answer : null,
  };
}
