import { Logger, Module, type DynamicModule, type INestApplicationContext, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Readiness } from '../resilience/readiness';
import { type EventBatchConsumer } from '../messaging/inbox/inbox';
import { type ConsumerCrashPoint } from '../messaging/crash-point';
import { type EventTransport } from '../messaging/event-transport.port';
import { AppRegistry } from '../observability';
import { FollowStream } from './follow-stream';
import type { Projection } from './projection';

/** Is called after each step; tests let the process die there. */
interface CrashPoints {
  pass(point: ConsumerCrashPoint): void;
}

interface FollowStreamModuleOptions {
  projection: Projection;
  /** A class is made by Nest. */
  consumers: readonly (EventBatchConsumer | Type<EventBatchConsumer>)[];
  /** Stays open when the application closes: its owner closes it afterwards. */
  transport: EventTransport;
  crashPoints: Type<CrashPoints>;
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
    const follow = {
      provide: FollowStream,
      inject: [DataSource, AppRegistry, crashPoints, ...classes],
      useFactory: (
        dataSource: DataSource,
        registry: AppRegistry,
        crash: CrashPoints,
        ...made: EventBatchConsumer[]
      ) => {
        exposeLag(registry, projection, transport, dataSource);
        return new FollowStream({
          projection,
          consumers: [...instances, ...made],
          dataSource,
          transport,
          log: new Logger(projection.subscription),
          passed: (point) => crash.pass(point),
        });
      },
    };
    return { module: FollowStreamModule, providers: [...classes, follow] };
  }
}

// A count says nothing of how old what it shows is.
const AGE = `
  SELECT extract(epoch FROM now() - greatest(caught_up_at, CASE WHEN unread = 0 THEN checked_at END))::float8 AS age
  FROM progress WHERE subscription = $1`;
const PARKED = 'SELECT count(DISTINCT aggregate)::integer AS parked FROM parked WHERE consumer = $1';

/** How far a subscription is behind its stream, and what of it waits for an operator. */
function exposeLag(
  registry: AppRegistry,
  { subscription, stream }: Projection,
  transport: EventTransport,
  dataSource: DataSource,
): void {
  const labels = { subscription };
  const unread = async () => {
    const positions = await transport.positions(subscription, stream);
    return positions.reduce((sum, { next, end }) => sum + Math.max(0, Number(end - next)), 0);
  };
  const age = async () => (await dataSource.query<[{ age: number }]>(AGE, [subscription]))[0].age;
  const parked = async () => (await dataSource.query<[{ parked: number }]>(PARKED, [subscription]))[0].parked;
  registry.show(`consumer ${subscription}`, unread, { consumer_lag: (value) => [{ labels, value }] });
  registry.show(`age ${subscription}`, age, { consumer_lag_seconds: (value) => [{ labels, value }] });
  registry.show(`parked ${subscription}`, parked, { parked_aggregates: (value) => [{ labels, value }] });
}

/** Whether the reader of each stream that the application follows has shown a sign of life within the last minute. */
export function streamsReadiness(app: INestApplicationContext): Readiness {
  const streams = app.get(FollowStream, { strict: false, each: true });
  return async () => ({ events: streams.every((stream) => stream.isAlive()) });
}
