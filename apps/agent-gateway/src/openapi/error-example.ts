import type { OpenApiExample, ProvokingRequest } from '@evenkeel/contracts';
import type { DomainError } from '@evenkeel/kernel';
import { errorAnswer, forSurface, type FailedCall } from '@evenkeel/platform/http';

/**
 * An error as it is answered on a path.
 * @param error undefined for one that nobody foresaw
 */
export function errorExample(
  path: string,
  error?: DomainError,
  provokedBy?: ProvokingRequest,
  about?: FailedCall,
): OpenApiExample {
  const value = JSON.parse(JSON.stringify(forSurface(path, errorAnswer(error), about))) as object;
  return { value, ...(provokedBy && { 'x-request': provokedBy }) };
}
