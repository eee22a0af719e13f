export { CachedDocument, type DocumentForm } from './cached-document';
export { callerOf, clientAddress, networkOf } from './client-address';
export { createHttpApp } from './create-http-app';
export { asProblem, errorAnswer, forSurface, type ErrorAnswer, type ErrorBody, type FailedCall } from './error-body';
export { STATUS } from './error-status';
export {
  MalformedRequest,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  ServiceUnavailable,
  UnsupportedMediaType,
} from './http-errors';
export { httpOptionsOf, type HttpOptions } from './http-options';
export type { RawRequest } from './raw-request';
export { HttpServer } from './http-server';
export { internalServer, type Readiness } from './internal-server';
export { CannotListen, listen } from './listen';
export { headerLines, ReadyAnswer } from './ready-answer';
export { exposeRequests } from './request-counts';
export { requestHandler, type RequestHandler } from './request-handler';
export { runHttp, serve, type ListenOptions, type RunningHttp } from './run-http';
export type { Shortcut } from './shortcuts';
export { closeOnSignal } from './shutdown';
