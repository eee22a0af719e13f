import { Clock, uuidv7 } from '@evenkeel/kernel';
import { ENGINE_VERSION } from '@evenkeel/scoring';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { traced } from '@evenkeel/platform/observability';
import { CircuitBreaker, type CallResult } from '@evenkeel/platform/service';
import { type Answer, type Deadline, DeadlineExceeded, withHeaders, withoutToken } from '../calls/call';
import { settlementResponse } from '../calls/payment';
import { Facilitator } from '../facilitator/facilitator';
import type { PaymentRequirements } from '../facilitator/payment-requirements';
import type { SettleOutcome } from '../facilitator/read-answers';
import { AnswerCipher, type AnswerRecord, type IssuedCredit } from '../ledger/answers';
import type { Claim } from '../ledger/claim-payments';
import { StoredRequirements } from '../ledger/stored-requirements';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { CrashPoints } from '../config/crash-points';
import { CreditOffers } from '../credits/credit-offers';
import type { PaymentRow } from '../ledger/ledger.entities';
import { AnswerReceipts, paidPurchase, type Purchase } from '../receipts/answer-receipts';
import { RecordOutcome, type RecordedOutcome, settlementFailed, SettlementUnknown } from './settlement-outcome';
import type { PaidCall } from './pay';

/** Longer than a block of the chain: an answer that is missing by then is not missing because nobody waited for it. */
const SILENT_AFTER_MS = 3_000;

interface RunningCall {
  outcome: Promise<SettleOutcome>;
  begunAt: number;
  first: boolean;
  /** Requests that will record the outcome themselves; without any it is recorded in the background. */
  waiting: number;
}

/** Settle calls in flight, one per payment. They outlive the request that began them, and its repeats join them. */
@Injectable()
export class SettleCalls implements BeforeApplicationShutdown {
  private readonly logger = new Logger('payments');
  private readonly running = new Map<string, RunningCall>();
  private readonly circuit: CircuitBreaker;
  /** Tests with shorter budgets wait for a shorter time. */
  silentAfterMs = SILENT_AFTER_MS;

  constructor(
    private readonly facilitator: Facilitator,
    private readonly requirements: StoredRequirements,
    private readonly outcomes: RecordOutcome,
    private readonly metrics: GatewayMetrics,
    clock: Clock,
  ) {
    this.circuit = new CircuitBreaker(() => clock.elapsedMs());
    metrics.watchCircuit('facilitator_settle', this.circuit);
  }

  /** Before the process ends, the outcome of every running call is recorded. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ outcome }) => outcome));
    await this.outcomes.drain();
  }

  /** Ask before a new call for this payer: false while the facilitator does not answer settles. */
  admits(payer: string): boolean {
    return this.circuit.admits(payer);
  }

  isRunning(paymentId: string): boolean {
    return this.running.has(paymentId);
  }

  /**
   * Joins the payment's call in flight or begins one. Without a usable answer it is `silent` once the call was awaited for
   * three seconds, and `unclear` before: a buyer whose request comes late could make us deaf, take the answer and cancel.
   * @returns the outcome, which the caller must record, and whether it answers the payment's first settle call
   */
  async outcome(
    payment: Claim,
    first: boolean,
    deadline: Deadline,
  ): Promise<{ outcome: SettleOutcome; first: boolean }> {
    const call = this.running.get(payment.id) ?? this.begin(payment, first);
    call.waiting += 1;
    try {
      return { outcome: this.unlessTooEarly(await deadline.within(call.outcome), call), first: call.first };
    } catch (error) {
      call.waiting -= 1;
      if (!(error instanceof DeadlineExceeded)) throw error;
      return { outcome: this.unlessTooEarly({ kind: 'silent', reason: null }, call), first: call.first };
    }
  }

  private unlessTooEarly(outcome: SettleOutcome, { begunAt }: RunningCall): SettleOutcome {
    if (outcome.kind !== 'silent' || performance.now() - begunAt >= this.silentAfterMs) return outcome;
    return { kind: 'unclear', reason: outcome.reason, transactionHash: null };
  }

  private begin(payment: Claim, first: boolean): RunningCall {
    const begunAt = performance.now();
    const call: RunningCall = { outcome: traced('settle', () => this.settle(payment)), begunAt, first, waiting: 0 };
    this.running.set(payment.id, call);
    void call.outcome.then((outcome) => {
      this.running.delete(payment.id);
      if (call.waiting === 0) this.outcomes.recordInBackground(payment, outcome, first);
    });
    return call;
  }

  /** Never throws. */
  private async settle(payment: Claim): Promise<SettleOutcome> {
    const { authorization, signature } = payment;
    let requirements: PaymentRequirements;
    try {
      requirements = await this.requirements.byId(payment.requirementsId);
    } catch (error) {
      // Nothing was sent. Not `silent`: a payment that met silence may be served.
      this.logger.error({ message: 'the requirements of a payment cannot be read', paymentId: payment.id, error });
      return { kind: 'unclear', reason: null, transactionHash: null };
    }
    const outcome = await this.facilitator.settle({ requirements, authorization, signature });
    this.circuit.record(resultOf(outcome), payment.payer);
    if (outcome.kind === 'contradictory') {
      // It confuses payments, or somebody answers in its name: a person must look.
      this.metrics.settleContradictions += 1;
      const message = 'the facilitator claims success for another payer or network';
      this.logger.error({ message, paymentId: payment.id });
    }
    return outcome;
  }
}

/**
 * A payer that had the price at verify can still make a settle fail, so an answer that decides nothing does not open the
 * circuit for all payers.
 */
function resultOf({ kind }: SettleOutcome): CallResult {
  if (kind === 'silent') return 'failed';
  return kind === 'unclear' || kind === 'contradictory' ? 'undecided' : 'answered';
}

/** The keys that the first request with a payment has shown. */
type ShownKeys = Pick<PaymentRow, 'paymentIdentifier' | 'idempotencyKey'>;

/** Who may get an answer a second time (`PAYMENT_REPLAY`). */
@Injectable()
export class ReplayPolicy {
  constructor(private readonly config: AgentGatewayConfig) {}

  /** Whether this identical call may get the answer that was given for the row. */
  allows(row: PaymentRow, call: PaidCall): boolean {
    return this.isRepeatable(row) && (this.config.PAYMENT_REPLAY === 'identical' || this.showsKey(row, call));
  }

  /** Whether there is a call that may get the answer that was given for the row. */
  isRepeatable({ paymentIdentifier, idempotencyKey }: ShownKeys): boolean {
    if (this.config.PAYMENT_REPLAY !== 'keyed') return this.config.PAYMENT_REPLAY === 'identical';
    return paymentIdentifier !== null || idempotencyKey !== null;
  }

  /**
   * Whether this identical call shows that it comes from the sender of the first one. Anybody can rebuild a payment header
   * from the chain, but neither key is on the chain.
   */
  showsKey(first: ShownKeys, call: PaidCall): boolean {
    // An equal payload has an equal identifier.
    return (
      first.paymentIdentifier !== null ||
      (first.idempotencyKey !== null && first.idempotencyKey === call.idempotencyKey)
    );
  }

  /**
   * Whether the first answer to a payment may show the token of its credit to this identical call. The request that was
   * never answered may have shown a key; then only its sender gets the token.
   */
  mayHaveToken(first: ShownKeys, call: PaidCall): boolean {
    return (first.idempotencyKey === null && first.paymentIdentifier === null) || this.showsKey(first, call);
  }

  /** Copies with an equal key share one answer while it is made. Null when this call shares with none. */
  joinKey(call: PaidCall): string | null {
    if (this.config.PAYMENT_REPLAY === 'off') return null;
    if (this.config.PAYMENT_REPLAY === 'identical' || call.payment.identifier !== null) return call.identity;
    return call.idempotencyKey && `${call.identity} ${call.idempotencyKey}`;
  }
}

/** An answer with its receipt, and what the ledger stores when the answer is given. */
export interface PreparedAnswer {
  purchase: Purchase;
  signed: Answer;
  record: AnswerRecord;
}

/** Answers that payments buy: prepared before the ledger decides, and completed with what it decided. */
@Injectable()
export class PaidAnswers {
  constructor(
    private readonly cipher: AnswerCipher,
    private readonly offers: CreditOffers,
    private readonly receipts: AnswerReceipts,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  prepare(result: Answer, purchase: Purchase): PreparedAnswer {
    const signed = this.receipts.sign(result, purchase);
    return { purchase, signed, record: this.recordOf(purchase.jti, signed) };
  }

  /** The answer as it goes out. @param issued the credit that the ledger has issued with it */
  complete(
    { purchase, signed, record }: PreparedAnswer,
    issued: IssuedCredit | null,
    deadline: Deadline,
  ): Promise<Answer> {
    return this.receipts.complete(this.offers.answer(signed, record.credit, issued), purchase, deadline);
  }

  private recordOf(paymentId: string, { body, receipt }: Answer): AnswerRecord {
    const now = this.clock.now();
    return {
      callId: uuidv7(now),
      body: this.cipher.encrypt(paymentId, body),
      engineVersion: ENGINE_VERSION,
      receipt: receipt ?? null,
      expiresAt: new Date(now.getTime() + this.config.PAYMENT_REPLAY_TTL_SECONDS * 1_000),
      credit: this.offers.make(),
    };
  }
}

/** Asks for settlement, records the outcome, and only then answers (docs/protocol.md, steps 7 and 8). */
@Injectable()
export class SettlePayment {
  constructor(
    private readonly calls: SettleCalls,
    private readonly outcomes: RecordOutcome,
    private readonly answers: PaidAnswers,
    private readonly policy: ReplayPolicy,
    private readonly crashPoints: CrashPoints,
  ) {}

  /**
   * @param first whether this is the payment's first settle call
   * @returns the answer; null when another call has settled or served the payment, whose row has the outcome
   * @throws PaymentRefused, SettlementUnknown
   */
  async execute(payment: Claim, call: PaidCall, first: boolean): Promise<Answer | null> {
    if (first) this.crashPoints.pass('claimed');
    const result = call.result();
    const settle = await this.calls.outcome(payment, first, call.deadline);
    this.crashPoints.pass('settle_answered');

    const status = settle.outcome.kind === 'settled' ? 'settled' : 'settlement_pending';
    const prepared = this.answers.prepare(result, paidPurchase(payment, call.payment.authorization, status));
    this.crashPoints.pass('before_commit');
    let recorded: RecordedOutcome;
    try {
      const recording = this.outcomes.record(payment, settle.outcome, settle.first, prepared.record, call.deadline);
      recorded = await call.deadline.withinBudget(recording);
    } catch {
      // The write may be committed all the same; a repeat finds out.
      this.outcomes.recordInBackground(payment, settle.outcome, settle.first);
      throw new SettlementUnknown();
    }
    this.crashPoints.pass('after_commit');
    if (!recorded.answered) {
      const { state, served, reason } = recorded;
      if (state === 'settlement_failed') throw settlementFailed(call.payment, reason);
      if (state === 'settled' || served) return null;
      throw new SettlementUnknown();
    }
    const complete = await this.answers.complete(prepared, recorded.credit, call.deadline);
    const response = settlementResponse(call.payment, { status, transactionHash: recorded.transactionHash });
    const answer = withHeaders(complete, response);
    return this.policy.mayHaveToken(payment, call) ? answer : withoutToken(answer);
  }

  /**
   * Settles an uncertain payment once more: the chain takes the same authorization only once.
   * @param admitted whether the settle circuit has admitted this request already
   * @returns as `execute`
   * @throws PaymentRefused, SettlementUnknown
   */
  async again(payment: PaymentRow, call: PaidCall, admitted: boolean): Promise<Answer | null> {
    if (!admitted && !this.calls.isRunning(payment.id) && !this.calls.admits(payment.payer)) {
      throw new SettlementUnknown();
    }
    return this.execute(payment, call, false);
  }
}
