export { ANSWER_HEADERS } from './answer-headers';
export { decideAnswer } from './answer-in-time';
export { CachedDocument } from './cached-document';
export { callerOf, clientAddress, networkOf, pathOf, requestIdOf } from './request';
export { CorsTerms, createHttpApp, MaxBodyBytes } from './create-http-app';
export { asProblem, errorAnswer } from './error-answer';
export {
  NotFound,
  PayloadTooLarge,
  RateLimited,
  ServiceUnavailable,
  Unauthorized,
  UnsupportedMediaType,
} from './http-errors';
export { httpOptionsOf, type EarlyContext, type HttpConventions } from './http-options';
export { CannotListen, listen, type RequestHandler, type WantedPort } from './http-server';
export { internalServer } from './internal-server';
export { FixedPage, policyOf } from './pages';
export { exposeRequests } from './request-records';
export { closeOnSignal, requestHandler, runHttp, serve, type RunningHttp } from './run-http';
