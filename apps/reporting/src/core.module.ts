import { Clock, SystemClock } from '@evenkeel/kernel';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { databaseOptions } from './database';
import { ReportingConfig } from './reporting.config';

/** What every feature needs: settings, time, the database. */
@Global()
@Module({})
export class CoreModule {
  static forRoot(config: ReportingConfig): DynamicModule {
    return {
      module: CoreModule,
      imports: [TypeOrmModule.forRoot(databaseOptions(config))],
      providers: [
        { provide: ReportingConfig, useValue: config },
        { provide: Clock, useClass: SystemClock },
      ],
      exports: [ReportingConfig, Clock],
    };
  }
}
