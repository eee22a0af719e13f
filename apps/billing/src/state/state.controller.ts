import { CurrentUser, NeedsDatabase, SignedInOnly, SignedInShortcuts } from '@evenkeel/platform/auth';
import { Controller, Get, type OnModuleInit } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { BillingStateView } from './billing-state.view';
import { ReadBillingState, type Payer } from './read-billing-state';

@ApiTags('Subscription')
@NeedsDatabase()
@SignedInOnly(['user'])
@Controller('v1/billing/me')
export class StateController implements OnModuleInit {
  constructor(
    private readonly reading: ReadBillingState,
    private readonly shortcuts: SignedInShortcuts,
  ) {}

  onModuleInit(): void {
    this.shortcuts.serve(this, 'find');
  }

  @Get()
  @ApiOperation({
    operationId: 'getBillingState',
    summary: 'What you have, until when, and what you have used',
    description: 'From stored data, never from the token: a cancellation counts at once.',
  })
  @ApiOkResponse({ type: BillingStateView, description: 'The state of now' })
  find(@CurrentUser() { stored }: Payer): BillingStateView {
    return this.reading.shown(stored);
  }
}
