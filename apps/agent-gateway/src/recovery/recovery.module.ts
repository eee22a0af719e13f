import { Module } from '@nestjs/common';
import { FacilitatorModule } from '../facilitator/facilitator.module';
import { LedgerModule } from '../ledger/ledger.module';
import { SettlementsModule } from '../payments/payments.module';
import { ChainModule } from './chain.module';
import { RecoveryWorker } from './recovery.worker';
import { ResolveByChain, ResolveByFacilitator, ResolveUncertain } from './resolve-uncertain';

@Module({
  imports: [ChainModule, LedgerModule, FacilitatorModule, SettlementsModule],
  providers: [RecoveryWorker, ResolveByChain, ResolveByFacilitator, ResolveUncertain],
})
export class RecoveryModule {}
