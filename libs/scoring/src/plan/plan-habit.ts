import { scoreHabit } from '../habits/score-habit';
import { DEFAULT_HORIZON_DAYS, type HabitSummary, type ScoredHabit } from '../habits/scored-habit';
import { round4 } from '../numbers';
import { TEXTS } from '../texts';

/** Summaries do not say how often a habit is due: each day. */
const TARGET_PER_WEEK = 7;
const DEFAULT_SINGLE_HORIZON_DAYS = 21;
/** 20^(-7/180): without risk, 95 % of the gap to the target closes in 180 days. */
const WEEKLY_GAP_LEFT = 0.890029474376723;
/** 66: median days until a habit runs by itself (range 18 to 254; Lally et al. 2010). */
const DAY_MARKS: readonly number[] = [7, 14, 28, 66, 90, 180];
const STREAK_MARKS: readonly number[] = [3, 7, 14, 30, 66, 100, 180];

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
    plan: habits.map((habit, index) => {
      const scored = scoreHabit(habit, index);
      return planHabit(scored, horizonDays, TARGET_PER_WEEK, () => ({ streak: scored.currentStreak, dayOf: eachDay }));
    }),
    rationale: TEXTS.planRationale,
  };
}

function eachDay(occasions: number): number {
  return occasions;
}

export interface PlanWeek {
  /** From 1. */
  week: number;
  /** Day of the plan, from 1. */
  start_day: number;
  /** 7, or less in a short last week. */
  days: number;
  target_rate: number;
  target_sessions: number;
}

export interface HabitPlan<Week extends PlanWeek = PlanWeek> {
  index: number;
  habit: string;
  start_rate: number;
  goal_rate: number;
  weeks: Week[];
  milestones: Milestone[];
}

/**
 * Weekly targets and milestones of one habit.
 * @param horizonDays 7 to 180
 * @param targetPerWeek sessions
 * @param growthAlong how its streak grows along these weeks; undefined where no streak mark can be promised
 */
export function planHabit(
  habit: ScoredHabit,
  horizonDays: number,
  targetPerWeek: number,
  growthAlong: (weeks: readonly PlanWeek[]) => StreakGrowth | undefined,
): HabitPlan {
  const targets = weeklyTargets(habit.completionRate, habit.risk, targetPerWeek, Math.ceil(horizonDays / 7));
  const weeks = targets.map(({ rate, sessions }, week) => {
    const days = Math.min(7, horizonDays - 7 * week);
    return {
      week: week + 1,
      start_day: 7 * week + 1,
      days,
      target_rate: rate,
      target_sessions: days === 7 ? sessions : Math.max(1, Math.floor((sessions * days) / 7 + 0.5)),
    };
  });
  return {
    index: habit.index,
    habit: habit.name,
    start_rate: habit.adherence,
    goal_rate: targets[targets.length - 1]!.rate,
    weeks,
    milestones: milestones(horizonDays, growthAlong(weeks)),
  };
}

/**
 * The share of the gap to the target that is left after one more week; risk slows the ramp, at most by half.
 * @param lapseRisk probability, 0 to 1
 * @returns factor, above 0.89 and below 1
 */
function weeklyGapLeft(lapseRisk: number): number {
  return 1 - (1 - WEEKLY_GAP_LEFT) * (1 - lapseRisk / 2);
}

interface WeeklyTarget {
  /** Share of the target, four decimals. */
  rate: number;
  /** Of a full week, 1 to the target. */
  sessions: number;
}

/**
 * Gentle on purpose: the first target is near the current level, the later ones are a stretch.
 * @param completionRate now, 0 to 1
 * @param lapseRisk probability, 0 to 1
 * @param targetPerWeek sessions, 1 or more
 * @param weeks how many
 */
export function weeklyTargets(
  completionRate: number,
  lapseRisk: number,
  targetPerWeek: number,
  weeks: number,
): WeeklyTarget[] {
  const gapLeft = weeklyGapLeft(lapseRisk);
  const targets: WeeklyTarget[] = [];
  let gap = targetPerWeek * (1 - completionRate);
  for (let week = 0; week < weeks; week++) {
    gap *= gapLeft;
    const reached = targetPerWeek - gap;
    targets.push({
      rate: round4(reached / targetPerWeek),
      sessions: Math.max(1, Math.min(targetPerWeek, Math.floor(reached + 0.5))),
    });
  }
  return targets;
}

export interface Milestone {
  /** Day of the plan, from 1. */
  day: number;
  code: 'day' | 'streak';
  mark: number;
  text: string;
}

/** How a streak grows while a plan is followed. */
export interface StreakGrowth {
  /** Occasions that it begins with; marks above it are still to be reached. */
  readonly streak: number;
  /** Day of the plan on which it is that many occasions longer, if none is missed; infinite when that is outside the plan. */
  readonly dayOf: (occasions: number) => number;
  /** The unit that it counts; absent when that is not known. */
  readonly noun?: string;
  /** Week of the plan from which on it grows; the first when absent. */
  readonly fromWeek?: number;
}

/**
 * Days and streaks worth a word, inside the horizon, by day, code and mark.
 * @param horizonDays length of the plan
 */
function milestones(horizonDays: number, growth: StreakGrowth | undefined): Milestone[] {
  const days = DAY_MARKS.map((day): Milestone => ({ day, code: 'day', mark: day, text: TEXTS.milestones.day(day) }));
  const streaks = growth ? streakMilestones(growth) : [];
  return [...days, ...streaks].filter(({ day }) => day <= horizonDays).sort((one, other) => one.day - other.day);
}

function streakMilestones(growth: StreakGrowth): Milestone[] {
  return STREAK_MARKS.filter((mark) => mark > growth.streak).map((mark) => ({
    day: growth.dayOf(mark - growth.streak),
    code: 'streak',
    mark,
    text: TEXTS.milestones.streak(mark, growth),
  }));
}
