import { Module } from '@nestjs/common';
import { OperatorActions } from '@evenkeel/platform/persistence';
import { LedgerModule } from '../../ledger/ledger.module';
import { ChainModule } from '../../recovery/chain.module';
import { CloseAsFailed, CloseAsSettled, ClosePayment } from './close-payment';

@Module({
  imports: [ChainModule, LedgerModule],
  providers: [CloseAsFailed, CloseAsSettled, ClosePayment, OperatorActions],
  exports: [ClosePayment],
})
export class PaymentClosingModule {}
