import type { OpenApiExample } from '@evenkeel/contracts';
import type { DomainError } from '@evenkeel/kernel';
import { errorAnswer, forSurface } from '@evenkeel/platform';

/** What provokes a documented refusal, for readers and for the test that provokes it. */
export interface ProvokingRequest {
  body?: unknown;
  path?: string;
  headers?: Record<string, string>;
}

/**
 * An error as it is answered on a path.
 * @param error undefined for one that nobody foresaw
 */
export function errorExample(path: string, error?: DomainError, provokedBy?: ProvokingRequest): OpenApiExample {
  const value = JSON.parse(JSON.stringify(forSurface(path, errorAnswer(error)))) as object;
  return { value, ...(provokedBy && { 'x-request': provokedBy }) };
}
