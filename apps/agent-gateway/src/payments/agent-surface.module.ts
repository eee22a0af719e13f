import { Module } from '@nestjs/common';
import { Challenges } from '../offers/challenges';
import { PayByCreditModule } from '../credits/credits.module';
import { FacilitatorModule } from '../facilitator/facilitator.module';
import { LedgerModule } from '../ledger/ledger.module';
import { InFlightCalls } from './in-flight-calls';
import { PayForCall } from './pay-for-call';
import { PaymentsModule } from './payments.module';
import { Places } from './places';
import { VerifyPayment } from './verify-payment';
import { AnswerCall } from './answer-call';
import { CallSurface } from './call-surface';
import { OffersController } from './offers.controller';
import { PaidCalls } from './paid-calls';
import { RequestBodies } from './request-bodies';
import { UnpaidCalls } from './unpaid-calls';

/** HTTP, and what only requests ask for: the worker, which has no limits, does without it. */
@Module({
  imports: [LedgerModule, FacilitatorModule, PaymentsModule, PayByCreditModule],
  controllers: [OffersController],
  providers: [
    AnswerCall,
    CallSurface,
    Challenges,
    InFlightCalls,
    PaidCalls,
    PayForCall,
    Places,
    RequestBodies,
    UnpaidCalls,
    VerifyPayment,
  ],
  exports: [AnswerCall, RequestBodies],
})
export class AgentSurfaceModule {}
