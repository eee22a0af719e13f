import { OutboxRelayModule, type EventTransport } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import { CrashPoints } from './config/crash-points';
import { RecoveryModule } from './recovery/recovery.module';
import { CountOpenPayments } from './metrics/gateway-metrics';
import { ReconciliationJob } from './operations/reconciliation/reconciliation.job';
import { ReconciliationModule } from './operations/reconciliation/reconciliation.module';

/** The background half of the gateway. */
// The worker alone counts open payments: once for all processes.
@Module({ imports: [RecoveryModule, ReconciliationModule], providers: [CountOpenPayments, ReconciliationJob] })
export class WorkerModule {
  static forRoot(transport: EventTransport): DynamicModule {
    const relay = OutboxRelayModule.forApp({ app: 'agent-gateway', transport, crashPoints: CrashPoints });
    return { module: WorkerModule, imports: [relay] };
  }
}
