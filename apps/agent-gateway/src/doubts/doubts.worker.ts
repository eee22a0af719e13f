import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { CreditAnswers } from '../credits/credit-answers';
import { AbandonedPayments } from '../ledger/abandoned-payments';
import { PaymentChecks } from '../ledger/payment-checks';
import { StoredAnswers } from '../payments/stored-answers';
import { ResolveDoubt } from './resolve-doubt';

const ROUND_EVERY_MS = 1_000;
const DRAIN_MS = 10_000;

/** The background half of the gateway: takes over what crashed, ends doubts, erases answers whose time is over. */
@Injectable()
export class DoubtsWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('doubts');
  private timer?: NodeJS.Timeout;
  private round: Promise<void> = Promise.resolve();

  constructor(
    private readonly abandoned: AbandonedPayments,
    private readonly checks: PaymentChecks,
    private readonly resolveDoubt: ResolveDoubt,
    private readonly answers: StoredAnswers,
    private readonly creditAnswers: CreditAnswers,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule(0);
  }

  /** Before the shutdown itself, which takes the database away. */
  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await Promise.race([this.round, sleep(DRAIN_MS, undefined, { ref: false })]);
  }

  private schedule(delayMs: number): void {
    this.timer = setTimeout(() => {
      this.round = this.runRound().then((more) => this.timer && this.schedule(more ? 0 : ROUND_EVERY_MS));
    }, delayMs);
  }

  /** @returns whether the next round has work already */
  private async runRound(): Promise<boolean> {
    try {
      const more = await this.abandoned.takeOverNext();
      await this.answers.eraseExpired();
      await this.creditAnswers.eraseExpired();
      const due = await this.checks.take();
      await Promise.all(due.map((check) => this.check(check)));
      return more;
    } catch (error) {
      this.logger.warn({ message: 'the round of payment checks was cut short', error });
      return false;
    }
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
