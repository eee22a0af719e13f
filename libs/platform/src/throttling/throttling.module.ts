import { Clock } from '@evenkeel/kernel';
import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { getOptionsToken, getStorageToken } from '@nestjs/throttler';
import type { Redis } from 'ioredis';
import type { ServiceConfig } from '../config';
import { AppRegistry, expose } from '../observability';
import { RateWindows } from './rate-windows';
import { RateLimitGuard, routeThrottlers, WindowThrottlerStorage, type RouteLimit } from './route-limits';

export type LimitSettings = Pick<
  ServiceConfig,
  'NODE_ENV' | 'REDIS_URL' | 'REPLICA_COUNT' | 'TRUSTED_PROXY_HOPS' | 'RATE_LIMIT_SCALE'
>;

/** The windows of an app and what its guards need. Needs a global `Clock`. */
@Module({})
export class ThrottlingModule {
  /** @param routes limits of ordinary routes, by the names that `@LimitedBy` uses */
  static forRoot(settings: LimitSettings, routes: Record<string, RouteLimit>): DynamicModule {
    const windows = {
      provide: RateWindows,
      inject: [Clock, { token: AppRegistry, optional: true }],
      useFactory: async (clock: Clock, registry?: AppRegistry) => {
        warnOfScale(settings);
        const opened = await openWindows(settings, clock);
        if (registry) expose(registry, 'ratelimit_degraded_total', () => [{ value: opened.degradedTotal }]);
        return opened;
      },
    };
    const storage = {
      provide: getStorageToken(),
      inject: [RateWindows],
      useFactory: (shared: RateWindows) => new WindowThrottlerStorage(shared),
    };
    const throttlers = routeThrottlers(routes, settings.TRUSTED_PROXY_HOPS);
    const options = { provide: getOptionsToken(), useValue: { throttlers } };
    return {
      module: ThrottlingModule,
      global: true,
      providers: [windows, storage, options, RateLimitGuard],
      exports: [windows, storage, options, RateLimitGuard],
    };
  }
}

/** The scale is for load and test runs only. */
function warnOfScale({ NODE_ENV, RATE_LIMIT_SCALE }: LimitSettings): void {
  if (NODE_ENV !== 'production' || RATE_LIMIT_SCALE === 1) return;
  new Logger('rate-limits').warn({ message: 'RATE_LIMIT_SCALE is not 1', RATE_LIMIT_SCALE });
}

/** The windows of a process. They work without Redis too. */
export async function openWindows(
  { REDIS_URL: url, REPLICA_COUNT: replicas }: Pick<LimitSettings, 'REDIS_URL' | 'REPLICA_COUNT'>,
  clock: Clock,
): Promise<RateWindows> {
  return new RateWindows(clock, url === undefined ? null : await connectRedis(url), replicas);
}

const CONNECT_MS = 500;

/**
 * A connection on which nothing waits long: commands fail at once when Redis is not there, and after 100 ms when it is silent. It
 * connects again by itself.
 * @returns once it is connected, or did not connect in half a second
 */
async function connectRedis(url: string): Promise<Redis> {
  // Loaded only where Redis is used.
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    connectTimeout: CONNECT_MS,
    commandTimeout: 100,
    // A connection that has gone silent is replaced: until Redis answers on the new one, no command is sent.
    socketTimeout: 500,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    // A hit without an answer was decided elsewhere: sent again it would count twice.
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(attempt * 50, 500),
  });
  // Every command reports its own failure; an error without a listener would end the process.
  redis.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, CONNECT_MS);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  return redis;
}
