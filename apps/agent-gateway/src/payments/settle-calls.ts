import { Clock } from '@evenkeel/kernel';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { DeadlineExceeded, type Deadline } from '../calls/deadline';
import { CircuitBreaker, type CallResult } from '@evenkeel/platform/circuit-breaker';
import { Facilitator, type SettleOutcome } from '../facilitator/facilitator.port';
import type { PaymentRequirements } from '../facilitator/payment-requirements';
import type { Claim } from '../ledger/claim-payments';
import { StoredRequirements } from '../ledger/stored-requirements';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { RecordOutcome } from './record-outcome';
import { Running } from './running';

interface RunningCall {
  outcome: Promise<SettleOutcome>;
  first: boolean;
  /** Requests that will write the outcome themselves; without any it is written in the background. */
  waiting: number;
}

/** Settle calls in flight, one per payment: they outlive the request that began them, and its repeats join them. */
@Injectable()
export class SettleCalls implements BeforeApplicationShutdown {
  private readonly logger = new Logger('payments');
  private readonly running = new Running<RunningCall>();
  private readonly circuit: CircuitBreaker;

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

  /** Every open call ends in the ledger before the process does. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.running.all().map(({ outcome }) => outcome));
    await this.outcomes.drain();
  }

  /** Must be asked before a new call for this payer: false while the facilitator does not answer settles. */
  admits(payer: string): boolean {
    return this.circuit.admits(payer);
  }

  isRunning(paymentId: string): boolean {
    return this.running.get(paymentId) !== undefined;
  }

  /**
   * Joins the payment's call in flight or begins one; `silent` when it has not ended by the deadline.
   * @returns the outcome, for the caller to write, and whether it is that of the payment's first settle call
   */
  async outcome(
    payment: Claim,
    first: boolean,
    deadline: Deadline,
  ): Promise<{ outcome: SettleOutcome; first: boolean }> {
    const call = this.running.get(payment.id) ?? this.begin(payment, first);
    call.waiting += 1;
    try {
      return { outcome: await deadline.within(call.outcome), first: call.first };
    } catch (error) {
      call.waiting -= 1;
      if (!(error instanceof DeadlineExceeded)) throw error;
      return { outcome: { kind: 'silent', reason: null }, first: call.first };
    }
  }

  private begin(payment: Claim, first: boolean): RunningCall {
    const call: RunningCall = { outcome: this.settle(payment), first, waiting: 0 };
    this.running.add(payment.id, call);
    void call.outcome.then((outcome) => {
      this.running.remove(payment.id);
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
      // Nothing was sent, so silence would be the wrong word: it may be served.
      this.logger.error({ message: 'the requirements of a payment cannot be read', paymentId: payment.id, error });
      return { kind: 'unclear', reason: null, transactionHash: null };
    }
    const outcome = await this.facilitator.settle({ requirements, authorization, signature });
    this.circuit.record(resultOf(outcome), payment.payer);
    if (outcome.kind === 'contradictory') this.reportContradiction(payment.id);
    return outcome;
  }

  /** Either the facilitator confuses payments or somebody speaks for it: a person must look. */
  private reportContradiction(paymentId: string): void {
    this.metrics.settleContradictions.inc();
    this.logger.error({ message: 'the facilitator claims success for another payer or network', paymentId });
  }
}

/** Who held the price at verify may still make a settle fail, so an answer that decides nothing is not held against all. */
function resultOf({ kind }: SettleOutcome): CallResult {
  if (kind === 'silent') return 'failed';
  return kind === 'unclear' || kind === 'contradictory' ? 'undecided' : 'answered';
}
