import { COUNTED_MOST, eventSource, STREAMS, type AppName } from '@evenkeel/contracts';
import { Logger, Module, type DynamicModule, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppRegistry, expose } from '../../observability';
import type { EventTransport } from '../event-transport.port';
import { InProcessBroker } from '../in-process/in-process-broker';
import { OutboxRelay, type RelayCrashPoint } from './outbox-relay';

const KEEP_DAYS = 14;

interface OutboxRelayModuleOptions {
  /** Whose outbox it is: it owns streams of the contracts. */
  app: AppName;
  /** Stays open when the application closes: its owner closes it afterwards. */
  transport: EventTransport;
  /** Is called after each step; tests let the process die there. */
  crashPoints: Type<{ pass(point: RelayCrashPoint): void }>;
}

/** Publishes the outbox of an app for as long as the application runs. Expects a `DataSource` and an `AppRegistry`. */
@Module({})
export class OutboxRelayModule {
  static forApp({ app, transport, crashPoints }: OutboxRelayModuleOptions): DynamicModule {
    const isInProcess = transport instanceof InProcessBroker;
    const useFactory = (
      dataSource: DataSource,
      registry: AppRegistry,
      points: InstanceType<typeof crashPoints>,
    ): OutboxRelay => {
      if (isInProcess) transport.own(app, dataSource);
      const relay = new OutboxRelay({
        database: dataSource.options,
        transport,
        source: eventSource(app),
        topics: STREAMS.filter(({ owner }) => owner === app).map(({ topic }) => topic),
        log: new Logger('outbox'),
        // Within one process a reader that starts from the beginning reads the outbox.
        keepDays: isInProcess ? null : KEEP_DAYS,
        passed: (point) => points.pass(point),
      });
      exposeOutbox(registry, dataSource, relay);
      return relay;
    };
    const inject = [DataSource, AppRegistry, crashPoints];
    return { module: OutboxRelayModule, providers: [{ provide: OutboxRelay, inject, useFactory }] };
  }
}

// Bounded: after a long outage of the broker a page must not read the whole outbox.
const WAITING = `
  SELECT (SELECT count(*)::integer FROM (SELECT FROM outbox WHERE published_at IS NULL LIMIT ${COUNTED_MOST}) waiting) AS unpublished,
    coalesce((SELECT greatest(0, extract(epoch FROM clock_timestamp() - created_at)) FROM outbox WHERE published_at IS NULL
      ORDER BY seq LIMIT 1), 0)::float8 AS "oldestSeconds"`;

/** How many events wait in the outbox of an app, and whether the relay of this process publishes it. */
function exposeOutbox(registry: AppRegistry, dataSource: DataSource, relay: OutboxRelay): void {
  const read = async () => (await dataSource.query<[{ unpublished: number; oldestSeconds: number }]>(WAITING))[0];
  registry.show('outbox', read, {
    outbox_unpublished: ({ unpublished }) => [{ value: unpublished }],
    outbox_oldest_seconds: ({ oldestSeconds }) => [{ value: oldestSeconds }],
  });
  expose(registry, 'relay_active', () => [{ value: relay.isActive ? 1 : 0 }]);
}
