import { Clock, SystemClock } from '@evenkeel/kernel';
import { AppRegistry } from '@evenkeel/platform/observability';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { databaseOptions } from './database';
import { ReportingConfig } from './reporting.config';

/** Its own, because a process may hold the apps of other databases beside this one. */
const DATA_SOURCE = 'reporting';

/** What every feature needs: settings, time, what is counted, the database. */
@Global()
@Module({})
export class CoreModule {
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
