import { Module } from '@nestjs/common';
import { Challenges } from '../challenges/challenges';
import { CreditsModule } from '../credits/credits.module';
import { PaymentsModule } from '../payments/payments.module';
import { PaidCallsController } from './paid-calls.controller';
import { RequestBodies } from './request-bodies';
import { UnpaidCalls } from './unpaid-calls';

@Module({
  imports: [PaymentsModule, CreditsModule],
  controllers: [PaidCallsController],
  providers: [Challenges, RequestBodies, UnpaidCalls],
})
export class AgentSurfaceModule {}
