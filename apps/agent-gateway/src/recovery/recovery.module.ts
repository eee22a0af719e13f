import { Module } from '@nestjs/common';
import { ChainModule } from './chain.module';
import { FacilitatorModule } from '../facilitator/facilitator.module';
import { LedgerModule } from '../ledger/ledger.module';
import { SettlementsModule } from '../payments/payments.module';
import { RecoveryWorker } from './recovery.worker';
import { ResolveUncertain } from './resolve-uncertain';

@Module({
  imports: [ChainModule, LedgerModule, FacilitatorModule, SettlementsModule],
  providers: [RecoveryWorker, ResolveUncertain],
})
export class RecoveryModule {}
