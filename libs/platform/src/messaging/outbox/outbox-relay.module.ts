import { eventSource, STREAMS, type AppName } from '@evenkeel/contracts';
import {
  Logger,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
  type Type,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppRegistry } from '../../observability';
import type { RelayCrashPoint } from '../crash-point';
import type { EventTransport } from '../event-transport.port';
import { InProcessBroker } from '../in-process/in-process-broker';
import { exposeOutbox } from './outbox-figures';
import { OutboxRelay } from './outbox-relay';

const KEEP_DAYS = 14;

/** Is called after each step; tests let the process die there. */
interface CrashPoints {
  pass(point: RelayCrashPoint): void;
}

interface OutboxRelayModuleOptions {
  /** Whose outbox it is: it owns streams of the contracts. */
  app: AppName;
  /** Stays open when the application closes: its owner closes it afterwards. */
  transport: EventTransport;
  crashPoints: Type<CrashPoints>;
}

/** Publishes the outbox of an app for as long as the application runs. Expects a `DataSource` and an `AppRegistry`. */
@Module({})
export class OutboxRelayModule {
  static forApp({ app, transport, crashPoints }: OutboxRelayModuleOptions): DynamicModule {
    const relay = {
      provide: RunningRelay,
      inject: [DataSource, AppRegistry, crashPoints],
      useFactory: (dataSource: DataSource, registry: AppRegistry, points: CrashPoints) =>
        new RunningRelay(app, transport, dataSource, registry, points),
    };
    return { module: OutboxRelayModule, providers: [relay] };
  }
}

class RunningRelay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly relay: OutboxRelay;

  constructor(
    private readonly app: AppName,
    private readonly transport: EventTransport,
    private readonly dataSource: DataSource,
    registry: AppRegistry,
    crashPoints: CrashPoints,
  ) {
    this.relay = new OutboxRelay({
      database: dataSource.options,
      transport,
      source: eventSource(app),
      topics: STREAMS.filter(({ owner }) => owner === app).map(({ topic }) => topic),
      log: new Logger('outbox'),
      // Within one process a reader that starts from the beginning reads the outbox.
      keepDays: transport instanceof InProcessBroker ? null : KEEP_DAYS,
      passed: (point) => crashPoints.pass(point),
    });
    exposeOutbox(registry, dataSource, this.relay);
  }

  onApplicationBootstrap(): void {
    if (this.transport instanceof InProcessBroker) this.transport.own(this.app, this.dataSource);
    this.relay.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.relay.stop();
  }
}
