import { Module } from '@nestjs/common';
import { CreditsModule, PayByCreditModule } from '../credits/credits.module';
import { FacilitatorModule } from '../facilitator/facilitator.module';
import { LedgerModule } from '../ledger/ledger.module';
import { ReceiptsModule } from '../receipts/receipts.module';
import { AnswerCall, InFlightCalls, PayForCall } from './pay';
import { FindPaymentStatus } from './find-payment-status';
import { PaidCallController } from './paid-call.controller';
import { PaidRequests, RequestBodies } from './paid-requests';
import { PaymentStatusController } from './payment-status.controller';
import { Slots } from './slots';
import { UnpaidRequests } from './unpaid-requests';
import { RecordOutcome } from './settlement-outcome';
import { RepeatCall, RepeatedAnswers, StoredAnswers } from './repeat-call';
import { PaidAnswers, ReplayPolicy, SettleCalls, SettlePayment } from './settle-payment';
import { WriteClaim, TakeNewPayment, VerifyPayment } from './take-new-payment';

const settlements = [RecordOutcome, SettleCalls, StoredAnswers];

/** Settle calls and stored answers: recovery works on them too, in a process without HTTP and limits. */
@Module({
  imports: [LedgerModule, FacilitatorModule, CreditsModule],
  providers: settlements,
  exports: [...settlements, CreditsModule],
})
export class SettlementsModule {}

/** One paid call, from its HTTP request to its answer. */
@Module({
  imports: [LedgerModule, FacilitatorModule, ReceiptsModule, PayByCreditModule, SettlementsModule],
  controllers: [PaidCallController, PaymentStatusController],
  providers: [
    PaidRequests,
    RequestBodies,
    UnpaidRequests,
    AnswerCall,
    InFlightCalls,
    PayForCall,
    Slots,
    VerifyPayment,
    WriteClaim,
    TakeNewPayment,
    SettlePayment,
    PaidAnswers,
    RepeatCall,
    RepeatedAnswers,
    ReplayPolicy,
    FindPaymentStatus,
  ],
  exports: [AnswerCall, FindPaymentStatus, RequestBodies],
})
export class PaymentsModule {}
