import { PAID_ENDPOINTS, requestSchema } from '@evenkeel/contracts';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { Deadline, DeadlineExceeded, score } from './call';
import { canonicalJson } from './payment';

const habit = { name: 'Run', completion_rate: 0.5, current_streak: 1, best_streak: 2 };
const published = requestSchema(PAID_ENDPOINTS.find(({ operation }) => operation === 'plan')!).$defs;
const defaultOf = (form: string) => published[form]!.properties!['horizon_days']!.default as number;

it.each([
  ['AgentAnalysisInput', 'analyze', { habits: [habit] }],
  ['AgentAnalysisInput', 'insights', { habits: [habit] }],
  ['AgentAnalysisInput', 'recommend', { habits: [habit] }],
  ['AgentAnalysisInput', 'plan', { habits: [habit] }],
  ['SingleHabitPlanInput', 'plan', { habit }],
] as const)('without a horizon in %s, %s uses the default of the schema', (form, operation, body) => {
  const asPublished = score(operation, { ...body, horizon_days: defaultOf(form) });
  expect(score(operation, body)).toEqual(asPublished);
  if (operation !== 'recommend') expect(score(operation, { ...body, horizon_days: 50 })).not.toEqual(asPublished);
});

it('canonical JSON writes any JSON value in the form of RFC 8785', () => {
  const written = (text: string) => {
    const value: unknown = JSON.parse(text);
    expect(canonicalJson(value)).toBe(canonicalize(value));
  };
  // Names by UTF-16 units, items that look alike, and half of a character.
  written('[{"€":1,"\\r":2,"10":4,"9":5,"😂":6,"דּ":7,"__proto__":8},{"9":5,"€":1},["\\u007f","\\ud800",-0,1E30]]');
  fc.assert(fc.property(fc.json({ stringUnit: 'binary' }), written));
  expect(canonicalJson({ A: ['B', { C: 'D' }] }, (text) => text.toLowerCase())).toBe('{"A":["b",{"C":"d"}]}');
  expect(() => canonicalJson({ amount: JSON.parse('1e999') as number })).toThrow(RangeError);
});

describe('a deadline', () => {
  const never = new Promise<never>(() => undefined);
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each<[string, (deadline: Deadline) => Promise<never>, number]>([
    ['keeps 200 ms back from every wait', (deadline) => deadline.within(never), 4_800],
    ['lets a statement of the ledger use half of them', (deadline) => deadline.withinBudget(never), 4_900],
  ])('%s: the answer has to arrive in time', async (_, wait, untilMs) => {
    const begun = performance.now();
    const ended = wait(new Deadline(5_000)).catch((error: unknown) => [error, performance.now() - begun]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await ended).toEqual([expect.any(DeadlineExceeded), untilMs]);
  });

  it('returns what is there already, though the time is up', async () => {
    expect(await new Deadline(-1).within(Promise.resolve('there'))).toBe('there');
  });
});
