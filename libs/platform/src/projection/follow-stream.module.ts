import { Logger, Module, type DynamicModule, type INestApplicationContext, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Readiness } from '../resilience/readiness';
import { exposeSubscription } from '../messaging/inbox/subscription-figures';
import { type AnyConsumer } from '../messaging/inbox/inbox';
import { type ConsumerCrashPoint } from '../messaging/crash-point';
import { type EventTransport } from '../messaging/event-transport.port';
import { AppRegistry } from '../observability';
import { expose } from '../observability/figures';
import { FollowStream } from './follow-stream';
import type { Projection } from './projection';

/** Is called after each step; tests let the process die there. */
interface CrashPoints {
  pass(point: ConsumerCrashPoint): void;
}

interface FollowStreamModuleOptions {
  projection: Projection;
  /** A class is made by Nest. */
  consumers: readonly (AnyConsumer | Type<AnyConsumer>)[];
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
    const { subscription, stream } = projection;
    const follow = {
      provide: FollowStream,
      inject: [DataSource, AppRegistry, crashPoints, ...classes],
      useFactory: (dataSource: DataSource, registry: AppRegistry, crash: CrashPoints, ...made: AnyConsumer[]) => {
        exposeAge(registry, subscription, dataSource);
        exposeSubscription(registry, { name: subscription, topics: [stream], transport, dataSource });
        return new FollowStream({
          projection,
          consumers: [...instances, ...made],
          dataSource,
          transport,
          log: new Logger(subscription),
          passed: (point) => crash.pass(point),
        });
      },
    };
    return { module: FollowStreamModule, providers: [...classes, follow] };
  }
}

const AGE = `
  SELECT extract(epoch FROM now() - greatest(caught_up_at, CASE WHEN unread = 0 THEN checked_at END))::float8 AS age
  FROM progress WHERE subscription = $1`;

/** A count says nothing of how old what it shows is. */
function exposeAge(registry: AppRegistry, subscription: string, dataSource: DataSource): void {
  let age: number | null = null;
  const ageNow = async () => (await dataSource.query<[{ age: number }]>(AGE, [subscription]))[0].age;
  registry.read(`age ${subscription}`, ageNow, (found) => (age = found));
  expose(registry, 'consumer_lag_seconds', () => (age === null ? [] : [{ labels: { subscription }, value: age }]));
}

/** Whether the reader of each stream that the application follows has shown a sign of life within the last minute. */
export function streamsReadiness(app: INestApplicationContext): Readiness {
  const streams = app.get(FollowStream, { strict: false, each: true });
  return async () => ({ events: streams.every((stream) => stream.isAlive()) });
}
