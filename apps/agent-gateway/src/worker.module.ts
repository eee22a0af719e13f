import { Module, type DynamicModule } from '@nestjs/common';
import type { AgentGatewayConfig } from './agent-gateway.config';
import { CoreModule } from './core.module';
import { DoubtsModule } from './doubts/doubts.module';
import { ReconciliationJob } from './reconciliation/reconciliation.job';
import { ReconciliationModule } from './reconciliation/reconciliation.module';

/** What the gateway does in the background. */
@Module({ imports: [DoubtsModule, ReconciliationModule], providers: [ReconciliationJob] })
export class WorkerModule {
  static forRoot(config: AgentGatewayConfig): DynamicModule {
    return { module: WorkerModule, imports: [CoreModule.forRoot(config)] };
  }
}
