export { LimitAnswers, RateLimit, type RateLimitTerms } from './rate-limit';
export { RateWindows, type LimitStatus } from './rate-windows.port';
export { LimitedBy, RateLimitGuard, type LimitedRequest, type RouteLimit } from './route-limits';
export { ThrottlingModule, type LimitSettings } from './throttling.module';
