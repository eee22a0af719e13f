import { Logger, Module, type DynamicModule, type INestApplicationContext, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Readiness } from '../resilience/readiness';
import { type ConsumerCrashPoint, type EventBatchConsumer } from '../messaging/inbox/inbox';
import { type EventTransport } from '../messaging/event-transport.port';
import { AppRegistry } from '../observability';
import { FollowStream } from './follow-stream';
import type { Projection } from './projection';

interface FollowStreamModuleOptions {
  projection: Projection;
  /** A class is made by Nest. */
  consumers: readonly (EventBatchConsumer | Type<EventBatchConsumer>)[];
  /** Stays open when the application closes: its owner closes it afterwards. */
  transport: EventTransport;
  /** Is called after each step; tests let the process die there. */
  crashPoints: Type<{ pass(point: ConsumerCrashPoint): void }>;
}

/**
 * Follows one stream for as long as the application runs, and exposes how far it is behind. Expects a `DataSource` and an
 * `AppRegistry`. An app that follows several streams imports it once for each.
 */
@Module({})
export class FollowStreamModule {
  static forApp({ projection, consumers, transport, crashPoints }: FollowStreamModuleOptions): DynamicModule {
    const classes = consumers.filter((consumer) => typeof consumer === 'function');
    const instances = consumers.filter((consumer) => typeof consumer !== 'function');
    const useFactory = (
      dataSource: DataSource,
      registry: AppRegistry,
      crash: InstanceType<typeof crashPoints>,
      ...made: EventBatchConsumer[]
    ): FollowStream => {
      exposeLag(registry, projection, transport, dataSource);
      return new FollowStream({
        projection,
        consumers: [...instances, ...made],
        dataSource,
        transport,
        log: new Logger(projection.subscription),
        passed: (point) => crash.pass(point),
      });
    };
    const inject = [DataSource, AppRegistry, crashPoints, ...classes];
    return { module: FollowStreamModule, providers: [...classes, { provide: FollowStream, inject, useFactory }] };
  }
}

// A count says nothing of how old what it shows is.
const AGE = `
  SELECT extract(epoch FROM now() - greatest(caught_up_at, CASE WHEN unread = 0 THEN checked_at END))::float8 AS value
  FROM progress WHERE subscription = $1`;
const PARKED = 'SELECT count(DISTINCT aggregate)::integer AS value FROM parked WHERE consumer = $1';

/** How far a subscription is behind its stream, and what of it waits for an operator. */
function exposeLag(
  registry: AppRegistry,
  { subscription, stream }: Projection,
  transport: EventTransport,
  dataSource: DataSource,
): void {
  const unread = async () => {
    const positions = await transport.positions(subscription, stream);
    return positions.reduce((sum, { next, end }) => sum + Math.max(0, Number(end - next)), 0);
  };
  const read = async (text: string) => (await dataSource.query<[{ value: number }]>(text, [subscription]))[0].value;
  const sample = (value: number) => [{ labels: { subscription }, value }];
  registry.show(`consumer ${subscription}`, unread, { consumer_lag: sample });
  registry.show(`age ${subscription}`, () => read(AGE), { consumer_lag_seconds: sample });
  registry.show(`parked ${subscription}`, () => read(PARKED), { parked_aggregates: sample });
}

/** Whether the reader of each stream that the application follows has shown a sign of life within the last minute. */
export function streamsReadiness(app: INestApplicationContext): Readiness {
  const streams = app.get(FollowStream, { strict: false, each: true });
  return async () => ({ events: streams.every((stream) => stream.isAlive()) });
}
