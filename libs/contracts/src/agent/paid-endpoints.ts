import {
  analyzeHabits,
  analyzeReliability,
  insightsForHabits,
  planHabits,
  recommendForHabits,
} from '@evenkeel/scoring';
import type { Class } from '../schema/schema-of';
import { AgentAnalysisInput, MAX_ITEMS, SingleHabitPlanInput } from './habit-inputs';
import { AgentAnalysisResult, AgentInsightsResult, AgentPlanResult, AgentRecommendResult } from './habit-results';
import { ReliabilityInput } from './reliability-input';
import { ReliabilityResult } from './reliability-result';

export type Operation = 'analyze' | 'plan' | 'insights' | 'recommend' | 'reliability';

export interface PaidEndpoint {
  operation: Operation;
  path: string;
  method: 'POST';
  /** Per request, whatever the number of items. Equal to the atomic amount of the 6-decimal stablecoin. */
  priceMicros: number;
  /** Names of the capability manifest. */
  capabilities: readonly string[];
  maxItems: number;
  /** Its name among the tools of `/mcp`. */
  toolName: string;
  title: string;
  /** At most 500 characters: one large facilitator refuses every payment otherwise. */
  description: string;
  /** For the `PAYMENT-REQUIRED` header, which must stay small. */
  headerDescription: string;
  exampleInput: object;
  /** The engine's answer to `exampleInput`. */
  exampleResult: object;
  /** The body has exactly one of these shapes. */
  requestForms: readonly Class[];
  result: Class;
}

const RUN = { name: 'Morning run', completion_rate: 0.82, current_streak: 9, best_streak: 21 };
const HABITS = { habits: [RUN] };
const SYNC = { name: 'hourly-sync', success_rate: 0.999, current_streak: 310, best_streak: 310, runs: 720 };

/** The price list: the only place with prices, paths, limits and shapes of the paid surface. In the order of the specification. */
export const PAID_ENDPOINTS: readonly PaidEndpoint[] = [
  endpoint('analyze', '/agent/v1/habits/analyze', 50_000, {
    capabilities: ['behavioral_analysis', 'habit_analysis'],
    toolName: 'analyze_habits',
    title: 'Analyze habits',
    headerDescription: 'Adherence, consistency, streak momentum and lapse risk for 1 to 25 habit summaries.',
    requestForms: [AgentAnalysisInput],
    result: AgentAnalysisResult,
    exampleInput: HABITS,
    exampleResult: analyzeHabits(HABITS),
  }),
  endpoint('plan', '/agent/v1/habits/plan', 100_000, {
    capabilities: ['habit_planning'],
    toolName: 'plan_habits',
    title: 'Plan habits',
    headerDescription: 'Weekly targets and milestones over 7 to 180 days for 1 to 25 habit summaries.',
    requestForms: [AgentAnalysisInput, SingleHabitPlanInput],
    result: AgentPlanResult,
    exampleInput: { ...HABITS, horizon_days: 7 },
    exampleResult: planHabits({ ...HABITS, horizon_days: 7 }),
  }),
  endpoint('insights', '/agent/v1/habits/insights', 50_000, {
    capabilities: ['behavioral_insights'],
    toolName: 'find_habit_insights',
    title: 'Find insights about habits',
    headerDescription: 'Patterns, correlations and risk signals for 1 to 25 habit summaries.',
    requestForms: [AgentAnalysisInput],
    result: AgentInsightsResult,
    exampleInput: HABITS,
    exampleResult: insightsForHabits(HABITS),
  }),
  endpoint('recommend', '/agent/v1/habits/recommend', 30_000, {
    capabilities: ['habit_recommendation'],
    toolName: 'recommend_habit_actions',
    title: 'Recommend next actions for habits',
    headerDescription:
      'One next-best action per habit, ranked, with rationale and priority, for 1 to 25 habit summaries.',
    requestForms: [AgentAnalysisInput],
    result: AgentRecommendResult,
    exampleInput: HABITS,
    exampleResult: recommendForHabits(HABITS),
  }),
  endpoint('reliability', '/agent/v1/reliability/analyze', 80_000, {
    capabilities: ['reliability_analysis'],
    toolName: 'analyze_reliability',
    title: 'Analyze the reliability of recurring tasks',
    headerDescription:
      'Failure risk, error-budget burn, severity and remediation for 1 to 25 recurring tasks, jobs or pipelines.',
    requestForms: [ReliabilityInput],
    result: ReliabilityResult,
    exampleInput: { tasks: [{ ...SYNC, cadence: 'hourly' }] },
    exampleResult: analyzeReliability({ tasks: [{ ...SYNC, cadence: 'hourly' }] }),
  }),
];

type Particulars = Omit<PaidEndpoint, 'operation' | 'path' | 'method' | 'priceMicros' | 'maxItems' | 'description'>;

function endpoint(operation: Operation, path: string, priceMicros: number, particulars: Particulars): PaidEndpoint {
  const description = `${particulars.headerDescription} Deterministic. One price per request.`;
  return { operation, path, method: 'POST', priceMicros, maxItems: MAX_ITEMS, ...particulars, description };
}
