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

describe('canonicalJson', () => {
  it('writes any JSON value in the form of RFC 8785', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        const value: unknown = JSON.parse(text);
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
    );
  });

  it.each([
    ['members by UTF-16 units', '{"€":1,"\\r":2,"1":3,"10":4,"9":5,"😂":6,"דּ":7,"__proto__":8}'],
    ['numbers as ECMAScript writes them', '[333333333.33333329,1E30,4.50,2e-3,1e-27,-0,-1.5e300]'],
    [
      'only the escapes that are required',
      '["\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","\\u007f","\\ud800"]',
    ],
    ['items that look alike', '[{"b":1,"a":2},{"b":3,"a":4},{"a":5,"b":6},{"a":7},null,[{"c":8}],3,{"a":9}]'],
    ['nothing at all', '[[],{},"",[""],{"":""},null,true,false]'],
  ])('writes %s', (_, text) => {
    const value: unknown = JSON.parse(text);
    expect(canonicalJson(value)).toBe(canonicalize(value));
  });

  it('replaces text values, but not the names of members', () => {
    expect(canonicalJson({ A: ['B', { C: 'D' }] }, (text) => text.toLowerCase())).toBe('{"A":["b",{"C":"d"}]}');
  });

  it('refuses infinity', () => {
    expect(() => canonicalJson({ amount: JSON.parse('1e999') as number })).toThrow(RangeError);
  });
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
