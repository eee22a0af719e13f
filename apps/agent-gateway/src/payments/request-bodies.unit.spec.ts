import { type Operation, PAID_ENDPOINTS, requestSchema } from '@evenkeel/contracts';
import type { ValidationIssue } from '@evenkeel/platform/validation';
import Ajv2020 from 'ajv/dist/2020';
import { requestValidator } from './paid-requests';

const habit = { name: 'Run', completion_rate: 0.5, current_streak: 1, best_streak: 2 };
const task = { name: 'sync', success_rate: 0.5, current_streak: 1, best_streak: 2 };

const validators = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint.operation, requestValidator(endpoint)]));
/** A stranger's validator with the published schemas. */
const standard = new Ajv2020({ strict: true });
const published = new Map(
  PAID_ENDPOINTS.map((endpoint) => [endpoint.operation, standard.compile(requestSchema(endpoint))]),
);

/** The issues of a body, on which we and the published schema agree that there are some. */
function of(operation: Operation, body: unknown): readonly ValidationIssue[] {
  const verdict = validators.get(operation)!.check(body);
  expect(published.get(operation)!(body)).toBe(verdict.valid);
  return verdict.valid ? [] : verdict.issues;
}
describe('a plan', () => {
  it.each([
    [{}, '/habits', 'required', 'is required, or habit'],
    [{ horizon_days: 7 }, '/habits', 'required', 'is required, or habit'],
    [{ habit, habits: [habit] }, '/habit', 'conflict', 'must not be given together with habits'],
    [{ habit: null }, '/habit', 'wrong_type', 'must be an object'],
    [{ habit: [] }, '/habit', 'wrong_type', 'must be an object'],
    [{ habit, horizon_days: 61 }, '/horizon_days', 'out_of_range', 'must be between 7 and 60'],
    [{ habits: [habit], horizon_days: 181 }, '/horizon_days', 'out_of_range', 'must be between 7 and 180'],
    [{ habit, persona: 'x' }, '/persona', 'unknown_property', 'is not a known property'],
    [{ habit: { ...habit, name: '' } }, '/habit/name', 'too_short', 'must have between 1 and 200 characters'],
  ])('%j', (body, path, code, message) =>
    expect(of('plan', body)).toEqual([expect.objectContaining({ path, code, message })]),
  );
});

describe('warnings', () => {
  const warningsOf = (operation: Operation, body: unknown) => validators.get(operation)!.warnings(body);

  it.each<[Operation, object, string]>([
    ['reliability', { tasks: [{ ...task, x: 1 }] }, 'tasks[0]: unknown property "x" ignored.'],
    [
      'insights',
      { habits: [{ ...habit, current_streak: 3 }] },
      'habits[0]: current_streak is above best_streak; the larger is used.',
    ],
    ['plan', { habit: { ...habit, x: 1 } }, 'habit: unknown property "x" ignored.'],
    ['plan', { habits: [{ ...habit, toString: 1 }] }, 'habits[0]: unknown property "toString" ignored.'],
  ])('of %s name the item in %j', (operation, body, warning) => expect(warningsOf(operation, body)).toEqual([warning]));
});
