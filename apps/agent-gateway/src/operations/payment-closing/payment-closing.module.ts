import { Module } from '@nestjs/common';
import { ChainModule } from '../../recovery/chain.module';
import { LedgerModule } from '../../ledger/ledger.module';
import { ClosePayment } from './close-payment';
import { ClosingEvidence } from './closing-evidence';
import { OperatorActions } from '@evenkeel/platform/persistence';

@Module({
  imports: [ChainModule, LedgerModule],
  providers: [ClosePayment, ClosingEvidence, OperatorActions],
  exports: [ClosePayment],
})
export class PaymentClosingModule {}
