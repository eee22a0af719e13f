import { IdempotencyModule } from '@evenkeel/platform/auth';
import { Module } from '@nestjs/common';
import { PlansModule } from '../plans/plans.controller';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { AdmitBuyer, AskWhatLives } from './admit-buyer';
import { ApplyAnswer } from './apply-answer';
import { ChangePlan, ChangeSubscription } from './change-subscription';
import { CheckoutPages } from './checkout-pages';
import { CheckoutController } from './checkout.controller';
import { MakeCustomer, OpenPortal } from './customers';
import { OpenCheckout } from './open-checkout';

/** Requests of people to the provider: to buy, to change, to end. */
@Module({
  imports: [IdempotencyModule, PlansModule, SubscriptionsModule],
  controllers: [CheckoutController],
  providers: [
    AdmitBuyer,
    MakeCustomer,
    CheckoutPages,
    OpenCheckout,
    OpenPortal,
    ApplyAnswer,
    AskWhatLives,
    ChangeSubscription,
    ChangePlan,
  ],
})
export class CheckoutModule {}
