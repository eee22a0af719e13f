export { LimitAnswers, type RateLimitTerms } from './limit-answers';
export { openWindows, type WindowsOptions } from './open-windows';
export { RateLimitGuard } from './rate-limit.guard';
export { RateLimit } from './rate-limit';
export { RateWindows, type Standing } from './rate-windows.port';
export { LimitedBy, type RouteLimit } from './route-limits';
export { SharedWindows } from './shared-windows';
export { ThrottlingModule, type LimitSettings } from './throttling.module';
