import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { Injectable, Logger } from '@nestjs/common';
import { CreditAnswers } from '../credits/pay-by-credit';
import { AbandonedPayments } from '../ledger/abandoned-payments';
import { CHECKS_AT_ONCE, PaymentChecks } from '../ledger/payment-checks';
import { StoredAnswers } from '../payments/repeat-call';
import { ResolveUncertain } from './resolve-uncertain';

const EVERY_MS = 1_000;

/** The background half of the gateway: takes over abandoned payments, resolves uncertain ones, erases answers whose time is over. */
@Injectable()
export class RecoveryWorker extends BackgroundWorker {
  protected readonly jobs: readonly WorkerJob[];
  private readonly logger = new Logger('recovery');

  constructor(
    abandoned: AbandonedPayments,
    private readonly checks: PaymentChecks,
    private readonly resolveUncertain: ResolveUncertain,
    answers: StoredAnswers,
    creditAnswers: CreditAnswers,
  ) {
    super();
    const everyMs = EVERY_MS;
    const job = (name: string, withinMs: number, run: WorkerJob['run']) => ({ name, everyMs, withinMs, run });
    this.jobs = [
      job('take_over', 10_000, (isLate) => abandoned.takeOverNext(isLate)),
      job('payment_checks', 20_000, (isLate) => this.checkDue(isLate)),
      job('erase_payment_answers', 5_000, (isLate) => answers.eraseExpired(isLate)),
      job('erase_credit_answers', 5_000, (isLate) => creditAnswers.eraseExpired(isLate)),
    ];
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
