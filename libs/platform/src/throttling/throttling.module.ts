import { Clock } from '@evenkeel/kernel';
import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { getOptionsToken, getStorageToken } from '@nestjs/throttler';
import type { ServiceConfig } from '../config';
import { AppRegistry, expose } from '../observability';
import { LocalWindows } from './local-windows';
import { RateWindows } from './rate-windows.port';
import { connectRedis, RedisWindows } from './redis-windows';
import { RateLimitGuard, routeThrottlers, WindowThrottlerStorage, type RouteLimit } from './route-limits';
import { SharedWindows } from './shared-windows';

export type LimitSettings = Pick<
  ServiceConfig,
  'NODE_ENV' | 'REDIS_URL' | 'REPLICA_COUNT' | 'TRUSTED_PROXY_HOPS' | 'RATE_LIMIT_SCALE'
>;

/** The windows of an app and what its guards need. Needs a global `Clock`. */
@Module({})
export class ThrottlingModule {
  /** @param routes limits of ordinary routes, by the names that `@LimitedBy` uses */
  static forRoot(settings: LimitSettings, routes: Record<string, RouteLimit>): DynamicModule {
    const { REDIS_URL: redisUrl, REPLICA_COUNT: replicas, TRUSTED_PROXY_HOPS: trustedProxyHops } = settings;
    const windows = {
      provide: RateWindows,
      inject: [Clock, { token: AppRegistry, optional: true }],
      useFactory: async (clock: Clock, registry?: AppRegistry) => {
        warnOfScale(settings);
        const opened = await openWindows({ redisUrl, replicas, clock });
        if (registry) exposeDegraded(registry, opened);
        return opened;
      },
    };
    const storage = {
      provide: getStorageToken(),
      inject: [RateWindows],
      useFactory: (shared: RateWindows) => new WindowThrottlerStorage(shared),
    };
    const options = { provide: getOptionsToken(), useValue: { throttlers: routeThrottlers(routes, trustedProxyHops) } };
    return {
      module: ThrottlingModule,
      global: true,
      providers: [windows, storage, options, RateLimitGuard],
      exports: [windows, storage, options, RateLimitGuard],
    };
  }
}

function exposeDegraded(registry: AppRegistry, windows: RateWindows): void {
  expose(registry, 'ratelimit_degraded_total', () => [{ value: windows.degradedTotal }]);
}

/** The scale is for load and test runs only. */
function warnOfScale({ NODE_ENV, RATE_LIMIT_SCALE }: LimitSettings): void {
  if (NODE_ENV !== 'production' || RATE_LIMIT_SCALE === 1) return;
  new Logger('rate-limits').warn({ message: 'RATE_LIMIT_SCALE is not 1', RATE_LIMIT_SCALE });
}

interface WindowsOptions {
  /** Default: the windows are those of this process. */
  redisUrl?: string;
  /** Processes that share a limit: each takes its part of it while Redis is silent. */
  replicas: number;
  clock: Clock;
}

/** The windows of a process. They work without Redis too. */
export async function openWindows({ redisUrl, replicas, clock }: WindowsOptions): Promise<RateWindows> {
  const local = new LocalWindows(() => clock.now().getTime());
  if (redisUrl === undefined) return local;
  const windows = new SharedWindows(new RedisWindows(await connectRedis(redisUrl)), local, replicas);
  await windows.begin();
  return windows;
}
