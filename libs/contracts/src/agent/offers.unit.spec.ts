import Ajv2020 from 'ajv/dist/2020';
import { isInstant } from '../schema/field.decorators';
import { type JsonSchema, schemaOf } from '../schema/schema-of';
import { capabilityRequestSchema, requestSchema, resultSchema } from './offers';
import { PAID_ENDPOINTS } from './paid-endpoints';

/** A stranger's validator: it knows the standard, and nothing of ours. */
const standard = new Ajv2020({ strict: true, formats: { 'date-time': isInstant } });
describe.each(PAID_ENDPOINTS.map((endpoint) => [endpoint.operation, endpoint] as const))('%s', (_, endpoint) => {
  it('takes its example request', () =>
    expect(standard.compile(requestSchema(endpoint))(endpoint.exampleInput)).toBe(true));

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

describe('the two bodies of plan', () => {
  it('says what a horizon that is left out means: 35 days for habits, 21 for one habit', () => {
    const endpoint = PAID_ENDPOINTS.find(({ operation }) => operation === 'plan')!;
    const { AgentAnalysisInput, SingleHabitPlanInput } = requestSchema(endpoint).$defs;
    const defaults = [AgentAnalysisInput!, SingleHabitPlanInput!, capabilityRequestSchema(endpoint)].map(
      ({ properties }) => properties!['horizon_days']!.default,
    );
    expect(defaults).toEqual([35, 21, 21]);
  });
});
