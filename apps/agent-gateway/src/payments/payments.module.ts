import { Module } from '@nestjs/common';
import { CreditsModule } from '../credits/credits.module';
import { FacilitatorModule } from '../facilitator/facilitator.module';
import { LedgerModule } from '../ledger/ledger.module';
import { InFlightCalls } from './in-flight-calls';
import { PayForCall } from './pay-for-call';
import { RecordOutcome } from './record-outcome';
import { RepeatCall } from './repeat-call';
import { ReplayPolicy } from './replay-policy';
import { SettleCalls } from './settle-calls';
import { SettlePayment } from './settle-payment';
import { StoredAnswers } from './stored-answers';
import { VerifyPayment } from './verify-payment';

@Module({
  imports: [LedgerModule, FacilitatorModule, CreditsModule],
  providers: [
    InFlightCalls,
    PayForCall,
    RecordOutcome,
    RepeatCall,
    ReplayPolicy,
    SettleCalls,
    SettlePayment,
    StoredAnswers,
    VerifyPayment,
  ],
  exports: [CreditsModule, InFlightCalls, PayForCall, RecordOutcome, SettleCalls, StoredAnswers],
})
export class PaymentsModule {}
