import { Module } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module';
import { ChainModule } from '../../recovery/chain.module';
import { CompareWithChain } from './compare-with-chain';
import { CompareWithFacilitator } from './compare-with-facilitator';
import { CompareWithOutbox } from './compare-with-outbox';
import { LedgerPages } from './ledger-pages';
import { OpenPayments } from './open-payments';
import { Reconcile } from './reconcile';

@Module({
  imports: [ChainModule, LedgerModule],
  providers: [CompareWithChain, CompareWithFacilitator, CompareWithOutbox, LedgerPages, OpenPayments, Reconcile],
  exports: [Reconcile],
})
export class ReconciliationModule {}
