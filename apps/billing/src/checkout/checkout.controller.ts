import { CurrentUser, Idempotent, LimitedBy, type SignedIn, SignedInOnly, Refuses } from '@evenkeel/platform/auth';
import { JsonBody, StrictValidationPipe } from '@evenkeel/platform/validation';
import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CheckoutBody, CheckoutView, PortalBody, PortalView } from './checkout.dto';
import { OpenPortal } from './customers';
import { OpenCheckout } from './open-checkout';

@ApiTags('Subscription')
@Refuses({ 503: '`service_unavailable`: the database or the payment provider is not there' })
@SignedInOnly([])
@Controller('v1/billing')
export class CheckoutController {
  constructor(
    private readonly checkout: OpenCheckout,
    private readonly portal: OpenPortal,
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
}
