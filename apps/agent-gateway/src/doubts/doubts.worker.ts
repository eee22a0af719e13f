import { Clock } from '@evenkeel/kernel';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PaymentChecks } from '../ledger/payment-checks';
import { ABANDONED_AFTER_MS, TakeOver } from '../ledger/take-over';
import { StoredAnswers } from '../payments/stored-answers';
import { ResolveDoubt } from './resolve-doubt';

const ROUND_EVERY_MS = 1_000;

/** The background half of the gateway: takes over what crashed, ends doubts, erases answers whose time is over. */
@Injectable()
export class DoubtsWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('doubts');
  /** Everything claimed before is decided or has its check: the search for abandoned rows begins here. */
  private searchedTo = new Date(0);
  private timer?: NodeJS.Timeout;
  private round: Promise<void> = Promise.resolve();

  constructor(
    private readonly clock: Clock,
    private readonly checks: PaymentChecks,
    private readonly takeOver: TakeOver,
    private readonly resolveDoubt: ResolveDoubt,
    private readonly answers: StoredAnswers,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule(0);
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.round;
  }

  private schedule(delayMs: number): void {
    this.timer = setTimeout(() => {
      this.round = this.runRound().finally(() => this.timer && this.schedule(ROUND_EVERY_MS));
    }, delayMs);
  }

  private async runRound(): Promise<void> {
    try {
      await this.takeOverAbandoned();
      await this.answers.eraseExpired();
      const due = await this.checks.take();
      await Promise.all(due.map((check) => this.check(check)));
    } catch (error) {
      this.logger.warn({ message: 'the round of payment checks was cut short', error });
    }
  }

  private async takeOverAbandoned(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - ABANDONED_AFTER_MS);
    const abandoned = await this.checks.abandoned(this.searchedTo, before);
    for (const payment of abandoned) await this.takeOver.ifAbandoned(payment);
    this.searchedTo = abandoned.at(-1)?.createdAt ?? before;
  }

  /** One payment that cannot be checked now must not keep the others waiting. */
  private async check(due: Parameters<ResolveDoubt['execute']>[0]): Promise<void> {
    try {
      await this.resolveDoubt.execute(due);
    } catch (error) {
      this.logger.warn({ message: 'a payment could not be checked', paymentId: due.payment.id, error });
    }
  }
}
