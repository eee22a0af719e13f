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

const withHabit = (over: object) => of('analyze', { habits: [{ ...habit, ...over }] });
const brief = (issues: readonly { path: string; code: string }[]) => issues.map(({ path, code }) => [path, code]);

describe('a habit', () => {
  it.each([
    [{ name: undefined }, 'name', 'required', 'is required'],
    [{ name: 5 }, 'name', 'wrong_type', 'must be a string'],
    [{ name: null }, 'name', 'wrong_type', 'must be a string'],
    [{ name: ' ' }, 'name', 'too_short', 'must have between 1 and 200 characters'],
    [{ name: 'a'.repeat(201) }, 'name', 'too_long', 'must have between 1 and 200 characters'],
    [{ completion_rate: '0.5' }, 'completion_rate', 'wrong_type', 'must be a number'],
    [{ completion_rate: true }, 'completion_rate', 'wrong_type', 'must be a number'],
    [{ current_streak: 1.5 }, 'current_streak', 'wrong_type', 'must be an integer'],
    [{ current_streak: -1 }, 'current_streak', 'out_of_range', 'must be between 0 and 2147483647'],
    [{ best_streak: 1e29 }, 'best_streak', 'out_of_range', 'must be between 0 and 2147483647'],
    [{ average_mood: 0.9 }, 'average_mood', 'out_of_range', 'must be between 1 and 10'],
    [{ average_mood: null }, 'average_mood', 'wrong_type', 'must be a number'],
    [{ mood_correlation: -1.1 }, 'mood_correlation', 'out_of_range', 'must be between -1 and 1'],
    [{ energy_trend: 'up' }, 'energy_trend', 'not_in_enum', 'must be one of rising, stable, falling'],
    [{ metadata: [] }, 'metadata', 'wrong_type', 'must be an object'],
    [{ metadata: null }, 'metadata', 'wrong_type', 'must be an object'],
  ])('%j', (over, field, code, message) =>
    expect(withHabit(over)).toEqual([expect.objectContaining({ path: `/habits/0/${field}`, code, message })]),
  );

  it('may have properties that nobody knows', () => expect(withHabit({ toString: 1, user_id: 'x' })).toEqual([]));
});

describe('a body', () => {
  it.each([
    ['a list', []],
    ['nothing', null],
    ['a text', 'x'],
    ['a number', 5],
  ])('that is %s', (_, body) =>
    expect(of('plan', body)).toEqual([
      expect.objectContaining({ path: '', code: 'wrong_type', message: 'must be an object' }),
    ]),
  );

  it.each([
    [{}, '/habits', 'required', 'is required'],
    [{ habits: null }, '/habits', 'wrong_type', 'must be an array'],
    [{ habits: habit }, '/habits', 'wrong_type', 'must be an array'],
    [{ habits: [] }, '/habits', 'too_few_items', 'must contain at least 1 item'],
    [{ habits: Array(26).fill(habit) }, '/habits', 'too_many_items', 'must contain at most 25 items'],
    [{ habits: [habit, null] }, '/habits/1', 'wrong_type', 'must be an object'],
    [{ habits: [habit, 'x'] }, '/habits/1', 'wrong_type', 'must be an object'],
    [{ habits: [[habit]] }, '/habits/0', 'wrong_type', 'must be an object'],
    [{ habits: [[]] }, '/habits/0', 'wrong_type', 'must be an object'],
    [{ habits: [habit], horizon_days: 6 }, '/horizon_days', 'out_of_range', 'must be between 7 and 180'],
    [{ habits: [habit], persona: 'a'.repeat(65) }, '/persona', 'too_long', 'must have at most 64 characters'],
    [{ habits: [habit], user_id: 1 }, '/user_id', 'unknown_property', 'is not a known property'],
    [{ habits: [habit], toString: 1 }, '/toString', 'unknown_property', 'is not a known property'],
    [{ habits: [habit], isPrototypeOf: 1 }, '/isPrototypeOf', 'unknown_property', 'is not a known property'],
    [{ habits: [habit], 'a/b': 1 }, '/a~1b', 'unknown_property', 'is not a known property'],
  ])('%j', (body, path, code, message) =>
    expect(of('analyze', body)).toEqual([expect.objectContaining({ path, code, message })]),
  );

  it('has all its issues named, fields in order, unknown ones last', () => {
    const body = { user: 1, habits: [{}, habit, [], { ...habit, name: '' }], horizon_days: 'x' };
    expect(brief(of('analyze', body))).toEqual([
      ['/habits/0/name', 'required'],
      ['/habits/0/completion_rate', 'required'],
      ['/habits/0/current_streak', 'required'],
      ['/habits/0/best_streak', 'required'],
      ['/habits/2', 'wrong_type'],
      ['/habits/3/name', 'too_short'],
      ['/horizon_days', 'wrong_type'],
      ['/user', 'unknown_property'],
    ]);
  });

  it('with too many items is not validated beyond the limit', () => {
    const issues = of('analyze', { habits: Array(5_000).fill(null) });
    expect(issues[0]).toMatchObject({ code: 'too_many_items', received: 5_000 });
    expect(issues).toHaveLength(1 + 25);
  });
});

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
