import { HTTP_CONVENTIONS, type FailedCall, type OpenApiExample, type ProvokingRequest } from '@evenkeel/contracts';
import type { DomainError } from '@evenkeel/kernel';
import { errorAnswer } from '@evenkeel/platform/http';

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
  const value = JSON.parse(JSON.stringify(HTTP_CONVENTIONS.errorShape(path, errorAnswer(error), about))) as object;
  return { value, ...(provokedBy && { 'x-request': provokedBy }) };
}
