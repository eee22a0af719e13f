import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/throttling';
import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import { FindPaymentStatus } from './find-payment-status';

/** Answers "Was I charged?" to callers who know the nonce, free. */
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
@Controller('agent/v1/payments')
export class PaymentStatusController {
  constructor(private readonly findPaymentStatus: FindPaymentStatus) {}

  /** 200; 400 for a malformed nonce or payer, and where several payers share the nonce; 404; 503. */
  @Get(':nonce')
  async status(@Param('nonce') nonce: string, @Query('payer') payer: unknown): Promise<object> {
    return this.findPaymentStatus.execute(nonce, payer);
  }
}
