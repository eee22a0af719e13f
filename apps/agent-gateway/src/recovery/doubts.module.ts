import { Module } from '@nestjs/common';
import { ChainModule } from './chain.module';
import { FacilitatorModule } from '../facilitator/facilitator.module';
import { LedgerModule } from '../ledger/ledger.module';
import { PaymentsModule } from '../payments/payments.module';
import { DoubtsWorker } from './doubts.worker';
import { ResolveDoubt } from './resolve-doubt';

@Module({
  imports: [ChainModule, LedgerModule, FacilitatorModule, PaymentsModule],
  providers: [DoubtsWorker, ResolveDoubt],
})
export class DoubtsModule {}
