import { DEFAULT_HORIZON_DAYS, type HabitSummary } from '../habits/habit-summary';
import { scoreHabit } from '../habits/score-habit';
import { TEXTS } from '../texts';
import { type HabitPlan, planHabit } from './plan-habit';

/** Summaries do not say how often a habit is due: each day. */
const TARGET_PER_WEEK = 7;
const DEFAULT_SINGLE_HORIZON_DAYS = 21;

/** Several habits (horizon 7 to 180 days, 35 when absent), or a single one (7 to 60, 21 when absent). */
export type PlanRequest =
  | { readonly habits: readonly HabitSummary[]; readonly habit?: undefined; readonly horizon_days?: number }
  | { readonly habit: HabitSummary; readonly habits?: undefined; readonly horizon_days?: number };

export interface PlanResult {
  horizon_days: number;
  /** One per habit, input order; days are counted from 1, without dates. */
  plan: HabitPlan[];
  rationale: string;
}

/** Weekly targets and milestones for each habit. */
export function planHabits(request: PlanRequest): PlanResult {
  const habits = request.habits ?? [request.habit];
  const horizonDays = request.horizon_days ?? (request.habits ? DEFAULT_HORIZON_DAYS : DEFAULT_SINGLE_HORIZON_DAYS);
  return {
    horizon_days: horizonDays,
    plan: habits.map((habit, index) => planHabit(scoreHabit(habit, index), horizonDays, TARGET_PER_WEEK, eachDay)),
    rationale: TEXTS.planRationale,
  };
}

function eachDay(occasions: number): number {
  return occasions;
}
