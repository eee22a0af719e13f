import { Module } from '@nestjs/common';
import { DashboardModule } from './dashboard/dashboard.module';
import { FreshnessModule } from './freshness/freshness.module';
import { OperatorAccessModule } from './operator-access/operator-access.module';
import { RevenueModule } from './revenue/revenue.module';

/** What reporting answers over HTTP. */
@Module({ imports: [FreshnessModule, OperatorAccessModule, RevenueModule, DashboardModule] })
export class AppModule {}
