import { PAID_ENDPOINTS, requestSchema } from '@evenkeel/contracts';
import { score } from './call';

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
