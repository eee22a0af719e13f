import type { ErrorBody } from '@evenkeel/contracts';
import type { DomainError, ErrorKind } from '@evenkeel/kernel';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { domainErrorOf, type AnswersWithHeaders } from './http-errors';
import type { HttpOptions } from './http-options';
import { pathOf } from './request';

/** The one table from what went wrong to the HTTP status. */
export const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthorized: 401,
  payment_required: 402,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  not_configured: 501,
  upstream_unavailable: 502,
  unavailable: 503,
};

export interface ErrorAnswer {
  status: number;
  body: ErrorBody;
  /** Whole seconds, at least 1. */
  retryAfterSeconds?: number;
}

/**
 * Shapes the body of an error for its surface.
 * @param path of the request; null where it is not known, because the request could not be parsed
 * @param about what the handler knows of the request, as it left it in `request.aboutFailure`
 */
export type ErrorShape = (path: string | null, answer: ErrorAnswer, about?: object) => ErrorBody;

/** Code, message and details as they are. */
export const plainErrorShape: ErrorShape = (_path, { body }) => body;

/** The answer to an unknown failure: that it happened, and no more. */
const INTERNAL: ErrorAnswer = {
  status: 500,
  body: { error: 'internal_error', message: 'Something failed on our side. It has been recorded.' },
};

/**
 * The answer to an error, before it is shaped for its surface.
 * @param error undefined for an unforeseen one
 */
export function errorAnswer(error: DomainError | undefined): ErrorAnswer {
  if (!error) return INTERNAL;
  const status = STATUS[error.kind];
  const { code, message, details, retryAfterSeconds } = error;
  const waits = retryAfterSeconds !== undefined || error.kind === 'rate_limited';
  return {
    status,
    body: { error: code, message, ...(details && { details }) },
    ...(waits && { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds ?? 1)) }),
  };
}

/**
 * The same body as a problem document (RFC 9457), for callers that ask for one.
 * @param problems address below which each code has its own; without one the type says nothing
 */
export function asProblem(body: ErrorBody, status: number, problems?: string): ErrorBody & Record<string, unknown> {
  const words = body.error.replaceAll('_', ' ');
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  const type = problems === undefined ? 'about:blank' : `${problems}/${body.error}`;
  return { type, title, status, detail: body.message, ...body };
}

const PROBLEM = 'application/problem+json';
const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers any error in the documented shape; an unknown one is logged, and one that comes after the answer began is only logged. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown, options: HttpOptions): void {
  const { logger, publicBaseUrl, problemsPath, errorShape = plainErrorShape } = options;
  const { id: requestId, headers } = request;
  const known = domainErrorOf(error, request.routeOptions?.bodyLimit ?? options.maxBodyBytes);
  if (!known) logger.error({ err: error, requestId }, 'request failed');
  else if (known !== error && known.kind === 'unavailable') logger.warn({ err: error, requestId }, 'a part is missing');
  if (reply.sent || reply.raw.headersSent) return;

  const answer = errorAnswer(known);
  const { status, retryAfterSeconds } = answer;
  const body = errorShape(pathOf(request.url), answer, request.aboutFailure);
  const isProblem = headers.accept?.includes(PROBLEM);
  // Fastify would close on a body it has not read, and the sender would meet a reset in place of this answer. On an open
  // connection the rest is read and forgotten, for as long as a request may take. The header is replaced, not removed:
  // without it Node would not say either when the connection does close.
  if (reply.hasHeader('connection')) reply.header('connection', reply.raw.shouldKeepAlive ? 'keep-alive' : 'close');
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...(known && (known as AnswersWithHeaders).headers) })
    .type(isProblem ? `${PROBLEM}; charset=utf-8` : JSON_TYPE)
    .send(JSON.stringify(isProblem ? asProblem(body, status, problemsPath && publicBaseUrl + problemsPath) : body));
}

/** The one place where errors of features, of Nest and of Fastify become answers. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly options: HttpOptions) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), error, this.options);
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by a handler that knows more of its request than the error will; given to the `errorShape` of the application. */
    aboutFailure?: object;
  }
}
