import type { IncomingMessage } from 'node:http';
import { domainErrorOf } from './domain-error-of';
import { asProblem, errorAnswer, forSurface, type FailedCall } from './error-body';
import { MethodNotAllowed, RateLimited } from './http-errors';
import type { HttpOptions } from './http-options';
import { pathOf } from './request-path';

const PROBLEM = 'application/problem+json';
const JSON_TYPE = 'application/json; charset=utf-8';

export interface ErrorText {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Any error in the documented shape; the ones nobody foresaw are recorded. */
export function errorText(
  { url = '/', headers: { accept } }: IncomingMessage,
  requestId: string,
  error: unknown,
  { logger, maxBodyBytes, publicBaseUrl }: HttpOptions,
  about?: FailedCall,
): ErrorText {
  const known = domainErrorOf(error, maxBodyBytes);
  if (!known) logger.error({ err: error, requestId }, 'request failed');
  const answer = errorAnswer(known);
  const { status, retryAfterSeconds } = answer;
  const body = forSurface(pathOf(url), answer, about);
  const asked = accept?.includes(PROBLEM);
  const headers = {
    'cache-control': 'no-store',
    'content-type': asked ? `${PROBLEM}; charset=utf-8` : JSON_TYPE,
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(known instanceof MethodNotAllowed && { allow: known.allowed.join(', ') }),
    ...(known instanceof RateLimited && known.headers),
  };
  return { status, headers, text: JSON.stringify(asked ? asProblem(body, status, publicBaseUrl) : body) };
}
