export { LimitAnswers, type RateLimitTerms } from './limit-answers';
export { RateLimitGuard } from './rate-limit.guard';
export { RateLimit } from './rate-limit';
export { RateWindows, type LimitStatus } from './rate-windows.port';
export { LimitedBy, type RouteLimit } from './route-limits';
export { ThrottlingModule, type LimitSettings } from './throttling.module';
