import { CurrentUser, NeedsDatabase, SignedInOnly } from '@evenkeel/platform/auth';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { BillingStateView } from './billing-state';
import { ReadBillingState, type Payer } from './read-billing-state';

@ApiTags('Subscription')
@NeedsDatabase()
@SignedInOnly(['user'])
@Controller('v1/billing/me')
export class StateController {
  constructor(private readonly reading: ReadBillingState) {}

  @Get()
  @ApiOperation({
    operationId: 'getBillingState',
    summary: 'What you have, until when, and what you have used',
    description: 'From stored data, never from the token: a cancellation is valid at once.',
  })
  @ApiOkResponse({ type: BillingStateView, description: 'The state of now' })
  find(@CurrentUser() { stored }: Payer): BillingStateView {
    return this.reading.shown(stored);
  }
}
