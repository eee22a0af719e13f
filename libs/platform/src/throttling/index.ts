export { RateLimit } from './rate-limit';
export { RateWindows, type LimitStatus } from './rate-windows.port';
export { LimitedBy, RateLimitGuard, type LimitedRequest } from './route-limits';
export { ThrottlingModule, type LimitSettings } from './throttling.module';
