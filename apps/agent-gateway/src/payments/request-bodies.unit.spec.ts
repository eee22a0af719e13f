import { PAID_ENDPOINTS, type Operation } from '@evenkeel/contracts';
import { requestValidator } from './paid-requests';

const validators = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint.operation, requestValidator(endpoint)]));
const of = (operation: Operation) => validators.get(operation)!;
const habit = { name: 'Run', completion_rate: 0.5, current_streak: 1, best_streak: 2 };
const task = { name: 'sync', success_rate: 0.5, current_streak: 1, best_streak: 2 };

describe('check', () => {
  it.each(PAID_ENDPOINTS.map(({ operation, exampleInput }) => [operation, exampleInput] as const))(
    'takes the example of %s',
    (operation, example) => expect(of(operation).check(example)).toEqual({ valid: true }),
  );

  it('explains what it refuses', () => {
    expect(of('reliability').check({ tasks: [{ ...task, runs: -1 }] })).toMatchObject({
      valid: false,
      issues: [{ path: '/tasks/0/runs', code: 'out_of_range' }],
    });
  });

  it('refuses an unknown property at the top and lets one inside an item be', () => {
    expect(of('analyze').check({ habits: [habit], user_id: 'x' })).toMatchObject({
      valid: false,
      issues: [{ path: '/user_id', code: 'unknown_property' }],
    });
    expect(of('analyze').check({ habits: [{ ...habit, user_id: 'x' }] })).toEqual({ valid: true });
  });
});

describe('warnings', () => {
  it('has none for known properties', () => {
    expect(of('analyze').warnings({ habits: [{ ...habit, metadata: { x: 1 }, risk_score: 1 }] })).toEqual([]);
  });

  it('names each unknown property and each stale streak, item by item', () => {
    const habits = [habit, { x: 1, ...habit, current_streak: 3, 'a "b"': 2 }, { ...habit, current_streak: 2 }];
    expect(of('insights').warnings({ habits })).toEqual([
      'habits[1]: unknown property "x" ignored.',
      'habits[1]: unknown property "a \\"b\\"" ignored.',
      'habits[1]: current_streak is above best_streak; the larger is used.',
    ]);
  });

  it('speaks of tasks, and of the one habit of a plan', () => {
    expect(of('reliability').warnings({ tasks: [{ ...task, x: 1 }] })).toEqual([
      'tasks[0]: unknown property "x" ignored.',
    ]);
    expect(of('plan').warnings({ habit: { ...habit, x: 1 } })).toEqual(['habit: unknown property "x" ignored.']);
    expect(of('plan').warnings({ habits: [{ ...habit, x: 1 }] })).toEqual(['habits[0]: unknown property "x" ignored.']);
  });

  it('knows names that every object has for unknown ones', () => {
    expect(of('analyze').warnings({ habits: [{ ...habit, toString: 1 }] })).toHaveLength(1);
  });
});

describe('input', () => {
  it('is the body itself when nothing is to trim', () => {
    for (const { operation, exampleInput } of PAID_ENDPOINTS)
      expect(of(operation).input(exampleInput)).toBe(exampleInput);
  });

  it('has names and labels without the white space around them, and leaves the body alone', () => {
    const body = { system: ' warehouse', tasks: [task, { ...task, name: '\tsync\u00a0' }] };
    const before = structuredClone(body);
    expect(of('reliability').input(body)).toEqual({ system: 'warehouse', tasks: [task, task] });
    expect(body).toEqual(before);
  });

  it('trims the one habit of a plan', () => {
    expect(of('plan').input({ habit: { ...habit, name: ' Run ' } })).toEqual({ habit });
  });
});
