import { ProcessCrash } from '@evenkeel/platform/config';
import { type EventTransport, FollowStreamModule } from '@evenkeel/platform/messaging';
import { ThrottlingModule } from '@evenkeel/platform/auth';
import { Module, type DynamicModule } from '@nestjs/common';
import { DashboardController } from './dashboard/dashboard.controller';
import { EraseOperatorReads } from './operator-access/erase-operator-reads';
import { OperatorAccessModule } from './operator-access/operator-access.module';
import { LEDGER_PROJECTION, ProjectLedger } from './projection/project-ledger.consumer';
import {
  ProjectSubscriptions,
  SUBSCRIPTIONS_PROJECTION,
} from './projection/subscriptions/project-subscriptions.consumer';
import type { ReportingConfig } from './reporting.config';
import { RevenueModule } from './revenue/revenue.module';

@Module({ imports: [OperatorAccessModule, RevenueModule], controllers: [DashboardController] })
export class AppModule {}

@Module({})
export class WorkerModule {
  static forRoot(transport: EventTransport): DynamicModule {
    const common = { transport, crashPoints: ProcessCrash };
    return {
      module: WorkerModule,
      providers: [EraseOperatorReads],
      imports: [
        FollowStreamModule.forApp({ projection: LEDGER_PROJECTION, consumers: [ProjectLedger], ...common }),
        FollowStreamModule.forApp({
          projection: SUBSCRIPTIONS_PROJECTION,
          consumers: [ProjectSubscriptions],
          ...common,
        }),
      ],
    };
  }
}

export function limitsOf(config: ReportingConfig): DynamicModule {
  return ThrottlingModule.forRoot(config, {
    admin: { rate: config.rates.admin, scope: 'operator' },
    // Polls do not use up what reads need.
    changes: { rate: config.rates.admin, scope: 'operator' },
    discovery: { rate: config.rates.discovery, scope: 'address' },
  });
}
