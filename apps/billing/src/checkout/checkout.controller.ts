import {
  CurrentUser,
  Idempotent,
  IdempotencyModule,
  LimitedBy,
  type SignedIn,
  SignedInOnly,
  Refuses,
} from '@evenkeel/platform/auth';
import { JsonBody, StrictValidationPipe } from '@evenkeel/platform/validation';
import { Controller, HttpCode, Module, Post } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { PlansModule } from '../plans/plans.controller';
import { BillingStateView } from '../state/billing-state';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { AdmitBuyer, AskWhatLives } from './admit-buyer';
import { ApplyAnswer } from './apply-answer';
import { ChangeSubscription } from './change-subscription';
import { ChangePlanBody, CheckoutBody, CheckoutView, PlanPreviewView, PortalBody, PortalView } from './checkout.dto';
import { CheckoutPages } from './checkout-pages';
import { MakeCustomer, OpenPortal } from './customers';
import { OpenCheckout } from './open-checkout';

@ApiTags('Subscription')
@ApiExtraModels(BillingStateView, PlanPreviewView)
@Refuses({ 503: '`service_unavailable`: the database or the payment provider is not there' })
@SignedInOnly([])
@Controller('v1/billing')
export class CheckoutController {
  constructor(
    private readonly checkout: OpenCheckout,
    private readonly portal: OpenPortal,
    private readonly subscriptions: ChangeSubscription,
  ) {}

  @Post('checkout')
  @LimitedBy('user', 'checkout')
  @Idempotent()
  @ApiOperation({
    operationId: 'openCheckout',
    summary: 'Open the page where a plan is paid',
    description:
      'The page is the provider’s, and no card reaches this service. It grants nothing: access comes when the provider says ' +
      'that it was paid. A page that is open is answered again, and ends when one of another plan is opened.',
  })
  @ApiBody({ type: CheckoutBody })
  @ApiCreatedResponse({ type: CheckoutView, description: 'The page' })
  @Refuses({
    400: '`unknown_plan`, `plan_not_purchasable`: the free one; `already_subscribed`: change the plan instead; `validation_failed`',
    501: '`provider_not_configured`: no payment provider has a price for this plan',
  })
  open(@CurrentUser() { userId }: SignedIn, @JsonBody() { plan }: CheckoutBody): Promise<CheckoutView> {
    return this.checkout.execute(userId, plan);
  }

  @Post('portal')
  @HttpCode(200)
  @LimitedBy('user', 'billing')
  @ApiOperation({
    operationId: 'openPortal',
    summary: 'Open the page for card, invoices and cancellation',
    description: 'The page is the provider’s.',
  })
  @ApiBody({ type: PortalBody, required: false })
  @ApiOkResponse({ type: PortalView, description: 'The page' })
  @Refuses({
    400: '`no_subscription`: the provider knows nothing of you; `validation_failed`',
    501: '`provider_not_configured`',
  })
  openPortal(
    @CurrentUser() { userId }: SignedIn,
    @JsonBody(new StrictValidationPipe({ emptyIs: {} })) body: PortalBody,
  ): Promise<PortalView> {
    return this.portal.execute(userId, body);
  }

  @Post('cancel')
  @HttpCode(200)
  @LimitedBy('user', 'billing')
  @ApiOperation({
    operationId: 'cancelSubscription',
    summary: 'End the subscription with the period that is paid',
    description: 'Access continues until then, and `resume` takes it back. Repeating it changes nothing.',
  })
  @ApiOkResponse({ type: BillingStateView, description: 'The state of now' })
  @Refuses({ 400: '`no_subscription`', 501: '`provider_not_configured`' })
  cancel(@CurrentUser() { userId }: SignedIn): Promise<BillingStateView> {
    return this.subscriptions.cancel(userId);
  }

  @Post('resume')
  @HttpCode(200)
  @LimitedBy('user', 'billing')
  @ApiOperation({
    operationId: 'resumeSubscription',
    summary: 'Take a scheduled end back',
    description: 'As long as the subscription has not ended. Repeating it changes nothing.',
  })
  @ApiOkResponse({ type: BillingStateView, description: 'The state of now' })
  @Refuses({ 400: '`no_subscription`', 501: '`provider_not_configured`' })
  resume(@CurrentUser() { userId }: SignedIn): Promise<BillingStateView> {
    return this.subscriptions.resume(userId);
  }

  @Post('change-plan')
  @HttpCode(200)
  @LimitedBy('user', 'billing')
  @ApiOperation({
    operationId: 'changePlan',
    summary: 'Change to another plan, at once',
    description:
      'The rest of the present plan is credited: the difference to a dearer plan is paid now, that to a cheaper one is credit ' +
      'for later invoices. With `preview` nothing changes, and the answer is what it would cost.',
  })
  @ApiBody({ type: ChangePlanBody })
  @ApiOkResponse({
    description: 'The state of now, or what the change would cost',
    schema: { anyOf: [BillingStateView, PlanPreviewView].map((view) => ({ $ref: getSchemaPath(view) })) },
  })
  @Refuses({
    400: '`no_subscription`: buy the plan by checkout; `unknown_plan`, `plan_not_purchasable`, `validation_failed`',
    402: '`payment_declined`: the card was refused, and nothing has changed',
    501: '`provider_not_configured`',
  })
  changePlan(
    @CurrentUser() { userId }: SignedIn,
    @JsonBody() { plan, preview }: ChangePlanBody,
  ): Promise<BillingStateView | PlanPreviewView> {
    return preview === true ? this.subscriptions.preview(userId, plan) : this.subscriptions.changePlan(userId, plan);
  }
}

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
  ],
})
export class CheckoutModule {}
