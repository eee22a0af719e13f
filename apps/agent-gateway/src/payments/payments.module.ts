import { Module } from '@nestjs/common';
import { CreditsModule } from '../credits/credits.module';
import { FacilitatorModule } from '../facilitator/facilitator.module';
import { LedgerModule } from '../ledger/ledger.module';
import { ReceiptsModule } from '../receipts/receipts.module';
import { RecordOutcome } from './record-outcome';
import { RepeatCall } from './repeat-call';
import { ReplayPolicy } from './replay-policy';
import { SettleCalls } from './settle-calls';
import { SettlePayment } from './settle-payment';
import { StoredAnswers } from './stored-answers';

@Module({
  imports: [LedgerModule, FacilitatorModule, CreditsModule, ReceiptsModule],
  providers: [RecordOutcome, RepeatCall, ReplayPolicy, SettleCalls, SettlePayment, StoredAnswers],
  exports: [
    CreditsModule,
    ReceiptsModule,
    RecordOutcome,
    RepeatCall,
    ReplayPolicy,
    SettleCalls,
    SettlePayment,
    StoredAnswers,
  ],
})
export class PaymentsModule {}
