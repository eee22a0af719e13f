import { BackgroundLoop, type Duty, type DutyRun } from '@evenkeel/platform/background';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { CreditAnswers } from '../credits/credit-answers';
import { AbandonedPayments } from '../ledger/abandoned-payments';
import { CHECKS_AT_ONCE, PaymentChecks } from '../ledger/payment-checks';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { StoredAnswers } from '../payments/stored-answers';
import { ResolveUncertain } from './resolve-uncertain';

const EVERY_MS = 1_000;
const DRAIN_MS = 10_000;

/**
 * The background half of the gateway: takes over abandoned payments, resolves uncertain ones, erases answers whose time is over.
 * Each duty runs in its own time: it neither waits for another nor fails with it.
 */
@Injectable()
export class RecoveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('recovery');
  private readonly loops: BackgroundLoop[];

  constructor(
    private readonly abandoned: AbandonedPayments,
    private readonly checks: PaymentChecks,
    private readonly resolveUncertain: ResolveUncertain,
    answers: StoredAnswers,
    creditAnswers: CreditAnswers,
    private readonly metrics: GatewayMetrics,
  ) {
    this.loops = [
      this.duty('take_over', 10_000, (isLate) => this.abandoned.takeOverNext(isLate)),
      this.duty('payment_checks', 20_000, (isLate) => this.checkDue(isLate)),
      this.duty('erase_payment_answers', 5_000, (isLate) => answers.eraseExpired(isLate)),
      this.duty('erase_credit_answers', 5_000, (isLate) => creditAnswers.eraseExpired(isLate)),
    ];
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start();
  }

  /** Before the shutdown itself, which takes the database away. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop(DRAIN_MS)));
  }

  private duty(name: string, withinMs: number, run: Duty['run']): BackgroundLoop {
    return new BackgroundLoop({ name, everyMs: EVERY_MS, withinMs, run, onRun: (ended) => this.report(ended) });
  }

  private report({ duty, seconds, outcome, error }: DutyRun): void {
    this.metrics.dutySeconds.observe({ duty, outcome }, seconds);
    if (outcome === 'failed') this.logger.warn({ message: 'a background duty failed', duty, seconds, error });
  }

  /** @returns whether more may be due */
  private async checkDue(isLate: () => boolean): Promise<boolean> {
    const due = await this.checks.take();
    await Promise.all(due.map((check) => this.check(check, isLate)));
    return due.length === CHECKS_AT_ONCE;
  }

  /** One payment that cannot be checked now must not delay the others. */
  private async check(due: Parameters<ResolveUncertain['execute']>[0], isLate: () => boolean): Promise<void> {
    try {
      await this.resolveUncertain.execute(due, isLate);
    } catch (error) {
      this.logger.warn({ message: 'a payment could not be checked', paymentId: due.payment.id, error });
    }
  }
}
