import { Module } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module';
import { ChainModule } from '../../recovery/chain.module';
import { CloseAsFailed } from './close-as-failed';
import { CloseAsSettled } from './close-as-settled';
import { ClosePayment } from './close-payment';
import { OperatorActions } from '@evenkeel/platform/persistence';

@Module({
  imports: [ChainModule, LedgerModule],
  providers: [CloseAsFailed, CloseAsSettled, ClosePayment, OperatorActions],
  exports: [ClosePayment],
})
export class PaymentClosingModule {}
