import { Clock } from '@evenkeel/kernel';
import { Module, type DynamicModule } from '@nestjs/common';
import { getOptionsToken, getStorageToken } from '@nestjs/throttler';
import { openWindows } from './open-windows';
import { RateWindows } from './rate-windows.port';
import { routeThrottlers, type RouteLimit } from './route-limits';
import { WindowThrottlerStorage } from './window-throttler-storage';

export interface ThrottlingOptions {
  /** Without one the limits are those of this process. */
  redisUrl?: string;
  /** Processes that share a limit; each takes its part of it while Redis is silent. */
  replicas: number;
  trustedProxyHops: number;
  /** Limits of ordinary routes, by the names that `@LimitedBy` uses. */
  routes: Record<string, RouteLimit>;
}

/** The windows of an app and what its guards need. Wants a `Clock` that every module sees. */
@Module({})
export class ThrottlingModule {
  static forRoot({ redisUrl, replicas, trustedProxyHops, routes }: ThrottlingOptions): DynamicModule {
    const windows = {
      provide: RateWindows,
      inject: [Clock],
      useFactory: (clock: Clock) => openWindows({ redisUrl, replicas, clock }),
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
      providers: [windows, storage, options],
      exports: [windows, storage, options],
    };
  }
}
