import { CurrentUser, SignedInOnly, type SignedIn, Refuses } from '@evenkeel/platform/auth';
import { JsonBody } from '@evenkeel/platform/validation';
import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { BillingStateView } from '../state/billing-state';
import { ChangePlan, ChangeSubscription } from './change-subscription';
import { ChangePlanBody, PlanPreviewView } from './checkout.dto';

@ApiTags('Subscription')
@ApiExtraModels(BillingStateView, PlanPreviewView)
@Refuses({
  501: '`provider_not_configured`',
  503: '`service_unavailable`: the database or the payment provider is not there',
})
@SignedInOnly(['user', 'billing'])
@Controller('v1/billing')
export class SubscriptionController {
  constructor(
    private readonly subscriptions: ChangeSubscription,
    private readonly plans: ChangePlan,
  ) {}

  @Post('cancel')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'cancelSubscription',
    summary: 'End the subscription with the period that is paid',
    description: 'Access continues until then, and `resume` takes it back. Repeating it changes nothing.',
  })
  @ApiOkResponse({ type: BillingStateView, description: 'The state of now' })
  @Refuses({ 400: '`no_subscription`' })
  cancel(@CurrentUser() { userId }: SignedIn): Promise<BillingStateView> {
    return this.subscriptions.cancel(userId);
  }

  @Post('resume')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'resumeSubscription',
    summary: 'Take a scheduled end back',
    description: 'As long as the subscription has not ended. Repeating it changes nothing.',
  })
  @ApiOkResponse({ type: BillingStateView, description: 'The state of now' })
  @Refuses({ 400: '`no_subscription`' })
  resume(@CurrentUser() { userId }: SignedIn): Promise<BillingStateView> {
    return this.subscriptions.resume(userId);
  }

  @Post('change-plan')
  @HttpCode(200)
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
  })
  changePlan(
    @CurrentUser() { userId }: SignedIn,
    @JsonBody() { plan, preview }: ChangePlanBody,
  ): Promise<BillingStateView | PlanPreviewView> {
    return preview === true ? this.plans.preview(userId, plan) : this.plans.execute(userId, plan);
  }
}
