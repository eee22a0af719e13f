import type { EventTransport } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import { CoreModule } from './core.module';
import { DashboardModule } from './dashboard/dashboard.module';
import { FreshnessModule } from './freshness/freshness.module';
import { limitsOf } from './limits';
import { OperatorAccessModule } from './operator-access/operator-access.module';
import type { ReportingConfig } from './reporting.config';
import { RevenueModule } from './revenue/revenue.module';
import { WorkerModule } from './worker.module';

/** What reporting answers over HTTP. */
@Module({ imports: [FreshnessModule, OperatorAccessModule, RevenueModule, DashboardModule] })
export class AppModule {
  static forRoot(config: ReportingConfig): DynamicModule {
    return { module: AppModule, imports: [CoreModule.forRoot(config), limitsOf(config)] };
  }

  /** The background half too, for a process that is all of reporting. */
  static withWorker(config: ReportingConfig, transport: EventTransport): DynamicModule {
    return { module: AppModule, imports: [...AppModule.forRoot(config).imports!, WorkerModule.beside(transport)] };
  }
}
