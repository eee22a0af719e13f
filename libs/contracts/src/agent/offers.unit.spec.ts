import Ajv2020 from 'ajv/dist/2020';
import { isInstant } from '../schema/field.decorators';
import { schemaOf } from '../schema/schema-of';
import { capabilityRequestSchema, requestSchema, resultSchema } from './offers';
import { PAID_ENDPOINTS } from './paid-endpoints';

/** A stranger's validator: it knows the standard, nothing of ours, and only references that resolve. */
const standard = new Ajv2020({ strict: true, formats: { 'date-time': isInstant } });

const MONEY = { usd: 0.1, usd_exact: '0.100000' };
const REBATE = {
  credit_token: 'hrc_8pZ0Vq3tD1mS5yRk2wXh7uCb9nLf4aJe6gTi0oQvMzE',
  face_value: MONEY,
  redeem_header: 'X-Agent-Credit',
  redeemable_on: ['/agent/v1/habits/plan'],
  single_use: true,
  expires_at: null,
  tier: 'tier_1',
  rate: 0.05,
  accrued_after: MONEY,
};

it.each(PAID_ENDPOINTS)(
  'the schemas of $operation take its examples, and what a result may carry beside',
  (endpoint) => {
    const { exampleInput, exampleResult, result } = endpoint;
    expect(standard.compile(requestSchema(endpoint))(exampleInput)).toBe(true);
    expect(standard.compile(schemaOf(result, { closed: true }))(exampleResult)).toBe(true);
    const accepts = standard.compile({ ...resultSchema(endpoint) });
    const rebated = (over: object) => ({ ...exampleResult, warnings: ['one'], rebate_earned: { ...REBATE, ...over } });
    expect(
      [{}, { credit_token: null, delivered: true }, { tier: 'gold' }].map((over) => accepts(rebated(over))),
    ).toEqual([true, true, false]);
  },
);

it('plan says what a horizon that is left out means: 35 days for habits, 21 for one habit', () => {
  const endpoint = PAID_ENDPOINTS.find(({ operation }) => operation === 'plan')!;
  const { AgentAnalysisInput, SingleHabitPlanInput } = requestSchema(endpoint).$defs;
  const defaults = [AgentAnalysisInput!, SingleHabitPlanInput!, capabilityRequestSchema(endpoint)].map(
    ({ properties }) => properties!['horizon_days']!.default,
  );
  expect(defaults).toEqual([35, 21, 21]);
});
