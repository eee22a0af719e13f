import type { DomainError } from '@evenkeel/kernel';
import { errorAnswer, forSurface, RateLimited, ServiceUnavailable } from '@evenkeel/platform';
import { AdminNotConfigured, InvalidAdminToken } from '../operator-access/operator-access.errors';
import { badQuery } from '../revenue/queries/bad-query';

const REFUSALS: readonly DomainError[] = [
  badQuery('days', 'wrong_type', 'must be one integer'),
  new InvalidAdminToken(),
  new RateLimited({ scope: 'address', limit: 120, window_seconds: 60 }),
  new AdminNotConfigured(),
  new ServiceUnavailable(),
];

/** What operators are told in place of figures, by status, as it is answered. */
export function refusalExamples(path: string): Record<string, unknown> {
  const answers = REFUSALS.map((error) => errorAnswer(error));
  return Object.fromEntries(answers.map((answer) => [String(answer.status), forSurface(path, answer)]));
}
