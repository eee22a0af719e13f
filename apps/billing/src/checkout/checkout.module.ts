import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { IdempotencyKeys, IdempotencyModule } from '@evenkeel/platform/auth';
import { Injectable, Module } from '@nestjs/common';
import { PlansModule } from '../plans/plans.module';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { AdmitBuyer, AskWhatLives } from './admit-buyer';
import { ApplyAnswer } from './apply-answer';
import { ChangePlan, ChangeSubscription } from './change-subscription';
import { CheckoutSessions, OpenPages } from './checkout-pages';
import { CheckoutController } from './checkout.controller';
import { MakeCustomer, OpenPortal } from './customers';
import { OpenCheckout } from './open-checkout';
import { SubscriptionController } from './subscription.controller';

const EVERY_MS = 60_000;
const WITHIN_MS = 10_000;

/** Erases the answers of old requests. */
@Injectable()
export class EraseOldKeys extends BackgroundWorker {
  protected readonly jobs: readonly WorkerJob[] = [
    { name: 'erase_old_keys', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: () => this.keys.eraseExpired() },
  ];

  constructor(private readonly keys: IdempotencyKeys) {
    super();
  }
}

/** Requests of people to the provider: to buy, to change, to end. */
@Module({
  imports: [IdempotencyModule, PlansModule, SubscriptionsModule],
  controllers: [CheckoutController, SubscriptionController],
  providers: [
    AdmitBuyer,
    MakeCustomer,
    OpenPages,
    CheckoutSessions,
    OpenCheckout,
    OpenPortal,
    ApplyAnswer,
    AskWhatLives,
    ChangeSubscription,
    ChangePlan,
  ],
  exports: [MakeCustomer],
})
export class CheckoutModule {}

/** Its part in the background. */
@Module({ imports: [IdempotencyModule], providers: [EraseOldKeys] })
export class CheckoutUpkeepModule {}
