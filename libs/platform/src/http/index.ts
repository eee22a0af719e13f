export { decideAnswer } from './answer-in-time';
export { CachedDocument, type DocumentForm } from './cached-document';
export { FixedPage } from './fixed-page';
export { callerOf, clientAddress, networkOf } from './request';
export { CorsTerms, createHttpApp, MaxBodyBytes } from './create-http-app';
export { asProblem, errorAnswer, STATUS, type ErrorAnswer, type ErrorBody, type ErrorShape } from './error-answer';
export {
  MalformedRequest,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  ServiceUnavailable,
  Unauthorized,
  UnsupportedMediaType,
} from './http-errors';
export { httpOptionsOf, type HttpConventions, type HttpOptions } from './http-options';
export type { EarlyAnswer, EarlyHandler } from './early-answers';
export {
  CannotListen,
  HttpServer,
  listen,
  refuseTakenPorts,
  type RequestHandler,
  type WantedPort,
} from './http-server';
export { internalServer } from './internal-server';
export { sendPage, type NoncedPage } from './nonced-page';
export { exposeRequests } from './request-records';
export { whileWaitedFor } from './while-waited-for';
export { closeOnSignal, requestHandler, runHttp, serve, type ListenOptions, type RunningHttp } from './run-http';
