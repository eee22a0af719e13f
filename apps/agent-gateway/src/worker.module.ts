import { OutboxRelayModule, type EventTransport } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import type { AgentGatewayConfig } from './config/agent-gateway.config';
import { CrashPoints } from './config/crash-points';
import { CoreModule } from './core.module';
import { RecoveryModule } from './recovery/recovery.module';
import { OpenPaymentsModule } from './metrics/metrics.module';
import { ReconciliationJob } from './operations/reconciliation/reconciliation.job';
import { ReconciliationModule } from './operations/reconciliation/reconciliation.module';

/** What the gateway does in the background. */
@Module({ imports: [RecoveryModule, ReconciliationModule, OpenPaymentsModule], providers: [ReconciliationJob] })
export class WorkerModule {
  /** A process of its own. */
  static forRoot(config: AgentGatewayConfig, transport: EventTransport): DynamicModule {
    const { imports = [], ...beside } = WorkerModule.beside(transport);
    return { ...beside, imports: [CoreModule.forRoot(config), ...imports] };
  }

  /** In a process that has the core already. */
  static beside(transport: EventTransport): DynamicModule {
    const relay = OutboxRelayModule.forApp({ app: 'agent-gateway', transport, crashPoints: CrashPoints });
    return { module: WorkerModule, imports: [relay] };
  }
}
