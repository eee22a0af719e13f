import type { EventTransport } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import { RecoveryModule } from './recovery/recovery.module';
import { EventsModule } from './ledger/events.module';
import { CountOpenPayments } from './metrics/count-open-payments';
import { ReconciliationJob } from './operations/reconciliation/reconciliation.job';
import { ReconciliationModule } from './operations/reconciliation/reconciliation.module';

/** What the gateway does in the background. */
@Module({ imports: [RecoveryModule, ReconciliationModule], providers: [ReconciliationJob, CountOpenPayments] })
export class WorkerModule {
  static forRoot(transport: EventTransport): DynamicModule {
    return { module: WorkerModule, imports: [EventsModule.forRoot(transport)] };
  }
}
