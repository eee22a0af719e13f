import { Clock, SystemClock } from '@evenkeel/kernel';
import type { EventTransport } from '@evenkeel/platform/messaging';
import { AppRegistry } from '@evenkeel/platform/observability';
import { ThrottlingModule } from '@evenkeel/platform/throttling';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { DashboardModule } from './dashboard/dashboard.module';
import { databaseOptions } from './database';
import { OperatorAccessModule } from './operator-access/operator-access.module';
import { ProjectionModule } from './projection/projection.module';
import { ReportingConfig } from './reporting.config';
import { RevenueModule } from './revenue/revenue.module';

/** A name of its own: a process may run several apps, each with its database. */
const DATA_SOURCE = 'reporting';

/** Settings, time, metrics and the database, for every feature. */
@Global()
@Module({})
class CoreModule {
  static forRoot(config: ReportingConfig): DynamicModule {
    return {
      module: CoreModule,
      imports: [TypeOrmModule.forRoot({ ...databaseOptions(config), name: DATA_SOURCE })],
      providers: [
        { provide: ReportingConfig, useValue: config },
        { provide: Clock, useClass: SystemClock },
        AppRegistry,
        { provide: DataSource, useExisting: getDataSourceToken(DATA_SOURCE) },
      ],
      exports: [ReportingConfig, Clock, AppRegistry, DataSource],
    };
  }
}

/** The background half of reporting. */
@Module({})
export class WorkerModule {
  /** For a process of its own. */
  static forRoot(config: ReportingConfig, transport: EventTransport): DynamicModule {
    const { imports = [], ...beside } = WorkerModule.beside(transport);
    return { ...beside, imports: [CoreModule.forRoot(config), ...imports] };
  }

  /** For a process that has the core already. */
  static beside(transport: EventTransport): DynamicModule {
    return { module: WorkerModule, imports: [ProjectionModule.forRoot(transport)] };
  }
}

/** The HTTP half of reporting. */
@Module({ imports: [OperatorAccessModule, RevenueModule, DashboardModule] })
export class AppModule {
  static forRoot(config: ReportingConfig): DynamicModule {
    return { module: AppModule, imports: [CoreModule.forRoot(config), limitsOf(config)] };
  }

  /** The background half too, for a process that is all of reporting. */
  static withWorker(config: ReportingConfig, transport: EventTransport): DynamicModule {
    return { module: AppModule, imports: [...AppModule.forRoot(config).imports!, WorkerModule.beside(transport)] };
  }
}

/** How often an address may ask. */
export function limitsOf(config: ReportingConfig): DynamicModule {
  return ThrottlingModule.forRoot(config, {
    admin: { rate: config.rates.admin, scope: 'operator' },
    discovery: { rate: config.rates.discovery, scope: 'address' },
  });
}
