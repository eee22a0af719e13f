export { decideAnswer } from './answer-in-time';
export { CachedDocument } from './cached-document';
export { callerOf, clientAddress, networkOf } from './request';
export { CorsTerms, createHttpApp, MaxBodyBytes } from './create-http-app';
export { asProblem, errorAnswer, type ErrorBody } from './error-answer';
export {
  NotFound,
  PayloadTooLarge,
  RateLimited,
  ServiceUnavailable,
  Unauthorized,
  UnsupportedMediaType,
} from './http-errors';
export { httpOptionsOf, type HttpConventions } from './http-options';
export type { EarlyAnswer, EarlyHandler } from './early-answers';
export { listen, refuseTakenPorts, type RequestHandler, type WantedPort } from './http-server';
export { internalServer } from './internal-server';
export { FixedPage, sendPage, type NoncedPage } from './pages';
export { exposeRequests } from './request-records';
export { closeOnSignal, requestHandler, runHttp, serve, type RunningHttp } from './run-http';
