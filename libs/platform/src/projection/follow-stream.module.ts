import { Logger, Module, type DynamicModule, type INestApplicationContext, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Readiness } from '../resilience/readiness';
import { exposeSubscription } from '../messaging/inbox/subscription-figures';
import { type AnyConsumer } from '../messaging/inbox/inbox';
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
        exposeSubscription(registry, { name: subscription, topics: [stream], transport, dataSource });
        return new FollowStream({
          ...{ projection, consumers: [...instances, ...made], dataSource, transport },
          log: new Logger(subscription),
          passed: (point) => crash.pass(point),
        });
      },
    };
    return { module: FollowStreamModule, providers: [...classes, follow] };
  }
}

/** Whether the reader of each stream that the application follows has shown a sign of life within the last minute. */
export function streamsReadiness(app: INestApplicationContext): Readiness {
  const streams = app.get(FollowStream, { strict: false, each: true });
  return async () => ({ events: streams.every((stream) => stream.isAlive()) });
}
