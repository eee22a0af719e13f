import { EventTransport, exposeSubscription } from '@evenkeel/platform/messaging';
import { AppRegistry } from '@evenkeel/platform/observability';
import { FollowStream } from '@evenkeel/platform/projection';
import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ReportingConfig } from '../reporting.config';
import { LEDGER_PROJECTION, ProjectLedger } from './project-ledger.consumer';

/** Follows the stream of payments, and exposes how far the subscription is behind. */
@Module({})
export class ProjectionModule {
  /** @param transport stays open when the application closes: the opener closes it afterwards */
  static forRoot(transport: EventTransport): DynamicModule {
    const follow = {
      provide: FollowStream,
      inject: [DataSource, ReportingConfig, AppRegistry, ProjectLedger],
      useFactory: (dataSource: DataSource, config: ReportingConfig, registry: AppRegistry, consumer: ProjectLedger) => {
        const { subscription: name, stream } = LEDGER_PROJECTION;
        exposeSubscription(registry, { name, topics: [stream], transport, dataSource });
        return new FollowStream({
          projection: LEDGER_PROJECTION,
          consumer,
          dataSource,
          transport,
          log: new Logger('projection'),
          passed: (point) => {
            if (config.CRASH_AT === point) process.kill(process.pid, 'SIGKILL');
          },
        });
      },
    };
    return { module: ProjectionModule, providers: [ProjectLedger, follow] };
  }
}
