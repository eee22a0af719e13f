import type { OpenApiExample, ProvokingRequest } from '@evenkeel/contracts';
import type { ErrorBody } from '../http';

/**
 * A refusal as it is answered.
 * @param provokedBy what provokes it, where the request of the operation does not
 */
export function refusalExample(body: ErrorBody, provokedBy?: ProvokingRequest): OpenApiExample {
  // Through JSON: a member that is not set is no part of what is answered.
  const value = JSON.parse(JSON.stringify(body)) as ErrorBody;
  return { value, ...(provokedBy && { 'x-request': provokedBy }) };
}
