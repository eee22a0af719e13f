import { IdempotencyModule } from '@evenkeel/platform/idempotency';
import { Module } from '@nestjs/common';
import { PlansModule } from '../plans/plans.module';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { AdmitBuyer } from './admit-buyer';
import { ApplyAnswer } from './apply-answer';
import { AskWhatLives } from './ask-what-lives';
import { ChangePlan } from './change-plan';
import { ChangeSubscription } from './change-subscription';
import { CheckoutController } from './checkout.controller';
import { CheckoutSessions } from './checkout-sessions';
import { EraseOldKeys } from './erase-old-keys.worker';
import { MakeCustomer } from './make-customer';
import { OpenCheckout } from './open-checkout';
import { OpenPages } from './open-pages';
import { OpenPortal } from './open-portal';
import { SubscriptionController } from './subscription.controller';

/** What people ask of the provider: to buy, to change, to end. */
@Module({
  imports: [IdempotencyModule, PlansModule, SubscriptionsModule],
  controllers: [CheckoutController, SubscriptionController],
  providers: [
    ...[AdmitBuyer, MakeCustomer, OpenPages, CheckoutSessions, OpenCheckout, OpenPortal],
    ...[ApplyAnswer, AskWhatLives, ChangeSubscription, ChangePlan],
  ],
  exports: [MakeCustomer],
})
export class CheckoutModule {}

/** Its part in the background. */
@Module({ imports: [IdempotencyModule], providers: [EraseOldKeys] })
export class CheckoutUpkeepModule {}
