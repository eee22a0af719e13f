import type { OpenApiExample, OpenApiOperation, ProvokingRequest } from '@evenkeel/contracts';
import type { DomainError } from '@evenkeel/kernel';
import { errorAnswer, RateLimited, ServiceUnavailable } from '@evenkeel/platform/http';
import { AdminNotConfigured, InvalidAdminToken } from '../operator-access/operator-access.errors';
import { badQuery } from '../revenue/queries/bad-query';

/** What operators are told in place of figures, by status, as it is answered. */
export function refusalExamples(path: string, { parameters = [] }: OpenApiOperation): Record<string, OpenApiExample> {
  const { name } = parameters.find(({ schema }) => schema.type === 'integer')!;
  return {
    400: refusal(badQuery(name, 'wrong_type', 'must be one integer'), { path: `${path}?${name}=some` }),
    401: refusal(new InvalidAdminToken()),
    429: refusal(new RateLimited({ scope: 'operator', limit: 120, window_seconds: 60 })),
    501: refusal(new AdminNotConfigured()),
    503: refusal(new ServiceUnavailable()),
  };
}

export function refusal(error: DomainError, provokedBy?: ProvokingRequest): OpenApiExample {
  return { value: errorAnswer(error).body, ...(provokedBy && { 'x-request': provokedBy }) };
}
