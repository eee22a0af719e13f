import Ajv2020 from 'ajv/dist/2020';
import { isInstant } from '../schema/field.decorators';
import type { JsonSchema } from '../schema/json-schema';
import { schemaOf } from '../schema/schema-of';
import { capabilityRequestSchema, requestSchema, resultSchema } from './offers';
import { PAID_ENDPOINTS, type Operation } from './paid-endpoints';

/** A stranger's validator: it knows the standard, and nothing of ours. */
const standard = new Ajv2020({ strict: true, formats: { 'date-time': isInstant } });
const requests = new Map(
  PAID_ENDPOINTS.map((endpoint) => [endpoint.operation, standard.compile(requestSchema(endpoint))]),
);
const accepts = (operation: Operation, body: unknown) => requests.get(operation)!(body);

const habit = { name: 'Run', completion_rate: 0.5, current_streak: 1, best_streak: 2 };
const task = { name: 'sync', success_rate: 0.5, current_streak: 1, best_streak: 2 };
const analyze = (over: object) => accepts('analyze', { habits: [habit], ...over });
const withHabit = (over: object) => analyze({ habits: [{ ...habit, ...over }] });
const withTask = (over: object) => accepts('reliability', { tasks: [{ ...task, ...over }] });
const many = (count: number, item: object) => Array.from({ length: count }, () => item);

describe.each(PAID_ENDPOINTS.map((endpoint) => [endpoint.operation, endpoint] as const))('%s', (_, endpoint) => {
  it('takes its example request', () => expect(accepts(endpoint.operation, endpoint.exampleInput)).toBe(true));

  it('describes every member of its example result', () => {
    const everyMember = standard.compile(schemaOf(endpoint.result, { closed: true }));
    expect(everyMember(endpoint.exampleResult)).toBe(true);
  });

  it('takes what a result may carry beside the scores', () => {
    const validate = standard.compile({ ...resultSchema(endpoint) });
    const money = { usd: 0.1, usd_exact: '0.100000' };
    const rebate_earned = {
      credit_token: 'hrc_8pZ0Vq3tD1mS5yRk2wXh7uCb9nLf4aJe6gTi0oQvMzE',
      face_value: money,
      redeem_header: 'X-Agent-Credit',
      redeemable_on: [endpoint.path],
      single_use: true,
      expires_at: null,
      tier: 'tier_1',
      rate: 0.05,
      accrued_after: money,
    };
    const result = { ...endpoint.exampleResult, warnings: ['a warning'], rebate_earned };
    expect(validate(result)).toBe(true);
    expect(validate({ ...result, rebate_earned: { ...rebate_earned, credit_token: null, delivered: true } })).toBe(
      true,
    );
    expect(validate({ ...result, rebate_earned: { ...rebate_earned, tier: 'gold' } })).toBe(false);
  });

  it.each(['request', 'result'])('publishes a %s schema that is complete and has standard keywords only', (which) => {
    const schema = which === 'request' ? requestSchema(endpoint) : resultSchema(endpoint);
    const references = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].map(([, target]) => target!);
    for (const target of references) expect(Object.keys(schema.$defs)).toContain(target.replace('#/$defs/', ''));
    expect(JSON.stringify(schema)).not.toContain('trimmedLength');
  });
});

describe('required members of the results', () => {
  it.each([
    ['analyze', ['aggregate_summary', 'highlights', 'watchouts', 'recommendations']],
    ['plan', ['horizon_days', 'plan', 'rationale']],
    [
      'insights',
      [
        'summary',
        'aggregate_summary',
        'highlights',
        'watchouts',
        'recommendations',
        'patterns',
        'correlations',
        'risk_signals',
      ],
    ],
    ['recommend', ['recommendations', 'generated_for_habits']],
    ['reliability', ['system', 'summary', 'assessments', 'watchouts', 'recommendations', 'method']],
  ])('%s', (operation, required) => {
    const schema: JsonSchema = resultSchema(PAID_ENDPOINTS.find((endpoint) => endpoint.operation === operation)!);
    expect(schema.required).toEqual(required);
  });
});

describe('ranges of a habit', () => {
  it.each([
    ['completion_rate', 0, 1],
    ['mood_correlation', -1, 1],
    ['average_mood', 1, 10],
    ['risk_score', 0, 1],
    ['current_streak', 0, 2_147_483_647],
    ['best_streak', 0, 2_147_483_647],
  ])('%s from %d to %d', (field, minimum, maximum) => {
    const beyond = Number.isInteger(maximum) && field.endsWith('streak') ? 1 : 1e-9;
    for (const value of [minimum, maximum]) expect(withHabit({ [field]: value })).toBe(true);
    for (const value of [minimum - beyond, maximum + beyond, null, String(minimum), true])
      expect(withHabit({ [field]: value })).toBe(false);
  });

  it.each(['name', 'completion_rate', 'current_streak', 'best_streak'])('needs %s', (field) =>
    expect(withHabit({ [field]: undefined })).toBe(false),
  );

  it('counts a name without the white space around it', () => {
    for (const name of ['a', ' a ', 'a'.repeat(200), `  ${'😀'.repeat(200)}\n`]) expect(withHabit({ name })).toBe(true);
    for (const name of ['', ' \n ', 'a'.repeat(201), '😀'.repeat(201), 5]) expect(withHabit({ name })).toBe(false);
  });

  it('takes a whole number written with a point and no other fraction', () => {
    expect(withHabit({ current_streak: JSON.parse('3.0') as number })).toBe(true);
    expect(withHabit({ current_streak: 3.5 })).toBe(false);
  });

  it('knows three trends, an object of metadata, and lets other properties be', () => {
    for (const energy_trend of ['rising', 'stable', 'falling']) expect(withHabit({ energy_trend })).toBe(true);
    for (const energy_trend of ['Rising', '', null]) expect(withHabit({ energy_trend })).toBe(false);
    for (const metadata of [{}, { a: [1] }]) expect(withHabit({ metadata })).toBe(true);
    for (const metadata of [[], null, 'x']) expect(withHabit({ metadata })).toBe(false);
    expect(withHabit({ colour: 'red' })).toBe(true);
  });
});

describe('ranges of a task', () => {
  it.each([
    ['success_rate', 0, 1, 1e-9],
    ['risk_score', 0, 1, 1e-9],
    ['runs', 0, 2_147_483_647, 1],
    ['p95_latency_ms', 0, 1e12, 1],
  ])('%s from %d to %d', (field, minimum, maximum, beyond) => {
    for (const value of [minimum, maximum]) expect(withTask({ [field]: value })).toBe(true);
    for (const value of [minimum - beyond, maximum + beyond, null]) expect(withTask({ [field]: value })).toBe(false);
  });

  it.each([
    ['cadence', ['continuous', 'hourly', 'daily', 'weekly', 'ad_hoc'], ['monthly', null]],
    ['latency_trend', ['rising', 'stable', 'falling'], ['up']],
    ['critical', [true, false], ['true', 1, null]],
  ])('%s', (field, good, bad) => {
    for (const value of good) expect(withTask({ [field]: value })).toBe(true);
    for (const value of bad) expect(withTask({ [field]: value })).toBe(false);
  });
});

describe('ranges of a body', () => {
  it('has 1 to 25 items', () => {
    for (const count of [1, 25]) {
      expect(analyze({ habits: many(count, habit) })).toBe(true);
      expect(accepts('reliability', { tasks: many(count, task) })).toBe(true);
    }
    for (const count of [0, 26]) {
      expect(analyze({ habits: many(count, habit) })).toBe(false);
      expect(accepts('reliability', { tasks: many(count, task) })).toBe(false);
    }
  });

  it('looks 7 to 180 days ahead', () => {
    for (const horizon_days of [7, 180]) expect(analyze({ horizon_days })).toBe(true);
    for (const horizon_days of [6, 181, 7.5, null, '7']) expect(analyze({ horizon_days })).toBe(false);
  });

  it('takes persona, locale and system up to their lengths', () => {
    expect(analyze({ persona: 'a'.repeat(64), locale: 'b'.repeat(35) })).toBe(true);
    expect(analyze({ persona: 'a'.repeat(65) })).toBe(false);
    expect(analyze({ locale: 'b'.repeat(36) })).toBe(false);
    const system = (text: unknown) => accepts('reliability', { tasks: [task], system: text });
    for (const text of ['', ' ', ` ${'a'.repeat(120)} `]) expect(system(text)).toBe(true);
    for (const text of ['a'.repeat(121), null]) expect(system(text)).toBe(false);
  });

  it('refuses other properties at the top', () => {
    for (const property of ['user_id', 'userId', '__proto__', 'toString'])
      expect(analyze(Object.fromEntries([[property, 1]]))).toBe(false);
  });
});

describe('the two bodies of plan', () => {
  const plan = (body: object) => accepts('plan', body);

  it('takes habits for 7 to 180 days or one habit for 7 to 60', () => {
    for (const horizon_days of [7, 180]) expect(plan({ habits: [habit], horizon_days })).toBe(true);
    for (const horizon_days of [7, 60]) expect(plan({ habit, horizon_days })).toBe(true);
    for (const horizon_days of [6, 61]) expect(plan({ habit, horizon_days })).toBe(false);
  });

  it('takes neither both nor none', () => {
    expect(plan({ habit, habits: [habit] })).toBe(false);
    expect(plan({})).toBe(false);
  });

  it('says what a horizon that is left out means: 35 days for habits, 21 for one habit', () => {
    const endpoint = PAID_ENDPOINTS.find(({ operation }) => operation === 'plan')!;
    const { AgentAnalysisInput, SingleHabitPlanInput } = requestSchema(endpoint).$defs;
    const defaults = [AgentAnalysisInput!, SingleHabitPlanInput!, capabilityRequestSchema(endpoint)].map(
      ({ properties }) => properties!['horizon_days']!.default,
    );
    expect(defaults).toEqual([35, 21, 21]);
  });

  it('has no persona and no locale beside one habit', () => {
    expect(plan({ habits: [habit], persona: 'x', locale: 'en' })).toBe(true);
    expect(plan({ habit, persona: 'x' })).toBe(false);
    expect(plan({ habit, locale: 'en' })).toBe(false);
  });
});
