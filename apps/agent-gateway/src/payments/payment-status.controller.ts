import { PAID_ENDPOINTS, PaymentStatus } from '@evenkeel/contracts';
import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/auth';
import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiQuery } from '@nestjs/swagger';
import { Answer, SharedAnswers, TAGS, ADDRESS, MalformedQuestion } from '../documentation/answers';
import { FindPaymentStatus } from './find-payment-status';

const SETTLED = {
  nonce: `0x${'ab'.repeat(32)}`,
  payer: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
  endpoint: PAID_ENDPOINTS[0]!.path,
  amount: { usd: 0.05, usd_exact: '0.050000' },
  amount_atomic: '50000',
  state: 'settled',
  charged: true,
  transaction: `0x${'cd'.repeat(32)}`,
  answer_available_until: '2026-01-31T13:00:00.000Z',
  retry: 'retry_same',
};

/** Answers "Was I charged?" to callers who know the nonce, free. */
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
@Controller('agent/v1/payments')
export class PaymentStatusController {
  constructor(private readonly findPaymentStatus: FindPaymentStatus) {}

  /** 200; 400 for a malformed nonce or payer, and where several payers share the nonce; 404; 503. */
  @Get(':nonce')
  @ApiOperation({
    operationId: 'getPaymentStatus',
    summary: 'Was I charged?',
    description: 'Free, for whoever knows the nonce of an authorization that reached settlement.',
    tags: [TAGS.free],
    security: [],
  })
  @ApiParam({
    name: 'nonce',
    description: 'Nonce of the signed authorization',
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' },
  })
  @ApiQuery({
    name: 'payer',
    required: false,
    description: 'Only needed when several payers have used the nonce',
    schema: ADDRESS,
  })
  @Answer({
    status: 200,
    type: PaymentStatus,
    description: 'What became of the payment',
    examples: { settled: { value: SETTLED } },
  })
  @MalformedQuestion('/agent/v1/payments/0x1', '/nonce', 'must be 0x and 64 hex digits')
  @SharedAnswers({ 404: 'AgentNotFound', 429: 'AgentRateLimited', 503: 'AgentServiceUnavailable' })
  async status(@Param('nonce') nonce: string, @Query('payer') payer: unknown): Promise<object> {
    return this.findPaymentStatus.execute(nonce, payer);
  }
}
