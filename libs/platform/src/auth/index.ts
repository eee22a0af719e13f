export { ACCESS_LEEWAY_SECONDS, ACCESS_TOKEN_TYPE, AccessKeys, AccessTokens, type AccessClaims } from './access-tokens';
export { NeedsDatabase, Refuses, SignedInOnly } from './signed-in-only';
export {
  bearerToken,
  CurrentUser,
  LiveSessions,
  sessionOf,
  SignedInGuard,
  userOf,
  type SignedIn,
} from './signed-in.guard';
export { RateLimit } from '../throttling/rate-limit';
export { RateWindows, type LimitStatus } from '../throttling/rate-windows';
export { LimitedBy, RateLimitGuard } from '../throttling/route-limits';
export { ThrottlingModule } from '../throttling/throttling.module';
export {
  createIdempotencyKeys,
  dropIdempotencyKeys,
  IdempotencyKeys,
  IdempotencyModule,
} from '../idempotency/idempotency-keys';
export { Idempotent, OperationId } from '../idempotency/idempotent';
