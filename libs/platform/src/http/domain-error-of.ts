import { HttpException } from '@nestjs/common';
import { DomainError } from '@evenkeel/kernel';
import {
  MalformedRequest,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  ServiceUnavailable,
  UnsupportedMediaType,
} from './http-errors';

/**
 * Says in our words what a framework refused; their messages never reach a caller.
 * @returns undefined for a failure that nobody foresaw
 */
export function domainErrorOf(error: unknown, maxBodyBytes: number): DomainError | undefined {
  if (error instanceof DomainError) return error;
  switch (statusOf(error)) {
    case 400:
    case 422:
      return new MalformedRequest('The request is not valid.');
    case 404:
    case 414:
      return new NotFound();
    case 413:
      return new PayloadTooLarge({ max_bytes: maxBodyBytes });
    case 415:
      return new UnsupportedMediaType();
    case 429:
      return new RateLimited({ scope: 'address' });
    case 503:
      return new ServiceUnavailable();
    default:
      return undefined;
  }
}

/** Nest's exceptions and Fastify's errors carry the status they stand for. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  if (!(error instanceof Error)) return undefined;
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : undefined;
}
