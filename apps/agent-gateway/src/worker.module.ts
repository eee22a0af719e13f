import type { EventTransport } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import type { AgentGatewayConfig } from './config/agent-gateway.config';
import { CoreModule } from './core.module';
import { RecoveryModule } from './recovery/recovery.module';
import { EventsModule } from './ledger/events.module';
import { CountOpenPayments } from './metrics/count-open-payments';
import { ReconciliationJob } from './operations/reconciliation/reconciliation.job';
import { ReconciliationModule } from './operations/reconciliation/reconciliation.module';

/** What the gateway does in the background. */
@Module({ imports: [RecoveryModule, ReconciliationModule], providers: [ReconciliationJob, CountOpenPayments] })
export class WorkerModule {
  /** A process of its own. */
  static forRoot(config: AgentGatewayConfig, transport: EventTransport): DynamicModule {
    const { imports = [], ...beside } = WorkerModule.beside(transport);
    return { ...beside, imports: [CoreModule.forRoot(config), ...imports] };
  }

  /** In a process that has the core already. */
  static beside(transport: EventTransport): DynamicModule {
    return { module: WorkerModule, imports: [EventsModule.forRoot(transport)] };
  }
}
