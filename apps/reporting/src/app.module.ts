import type { EventTransport } from '@evenkeel/platform/messaging';
import { ThrottlingModule } from '@evenkeel/platform/throttling';
import { Module, type DynamicModule } from '@nestjs/common';
import { DashboardModule } from './dashboard/dashboard.module';
import { OperatorAccessModule } from './operator-access/operator-access.module';
import { ProjectionModule } from './projection/projection.module';
import type { ReportingConfig } from './reporting.config';
import { RevenueModule } from './revenue/revenue.module';

/** What reporting answers over HTTP. */
@Module({ imports: [OperatorAccessModule, RevenueModule, DashboardModule] })
export class AppModule {}

/** What reporting does in the background. */
@Module({})
export class WorkerModule {
  static forRoot(transport: EventTransport): DynamicModule {
    return { module: WorkerModule, imports: [ProjectionModule.forRoot(transport)] };
  }
}

/** How often an address may ask. */
export function limitsOf(config: ReportingConfig): DynamicModule {
  return ThrottlingModule.forRoot(config, {
    admin: { rate: config.rates.admin, scope: 'operator' },
    discovery: { rate: config.rates.discovery, scope: 'address' },
  });
}
