import { DEFAULT_HORIZON_DAYS } from '../habits/habit-summary';
import { type HabitPlan, planHabit, type PlanWeek } from '../plan/plan-habit';
import { TEXTS } from '../texts';
import { civilDate } from './civil-days';
import { type EvaluatedHabit, evaluateHistories } from './evaluate-histories';
import type { HistoriesRequest } from './habit-history';
import { viewpointOf } from './habit-record';
import { isDue, type Schedule } from './schedule';

export interface DatedPlanWeek extends PlanWeek {
  /** Local dates, both included. */
  start_date: string;
  end_date: string;
  /** One per session that finds a scheduled day; a date appears twice when a day has two sessions. */
  dates: string[];
}

export interface DatedPlan {
  horizon_days: number;
  /** Tomorrow. */
  starts_on: string;
  ends_on: string;
  /** One per habit, input order. */
  plan: HabitPlan<DatedPlanWeek>[];
  rationale: string;
}

/** Weekly targets and milestones for each habit, on dates from tomorrow. */
export function planFromLogs(request: HistoriesRequest): DatedPlan {
  const horizonDays = request.horizonDays ?? DEFAULT_HORIZON_DAYS;
  const { today } = viewpointOf(request);
  return {
    horizon_days: horizonDays,
    starts_on: civilDate(today + 1),
    ends_on: civilDate(today + horizonDays),
    plan: evaluateHistories(request).map((habit) => datedPlan(habit, horizonDays, today)),
    rationale: TEXTS.planRationale,
  };
}

function datedPlan({ scored, record: { schedule } }: EvaluatedHabit, horizonDays: number, today: number) {
  const plan = planHabit(scored, horizonDays, schedule.target, (occasions) => streakDay(schedule, today, occasions));
  const weeks = plan.weeks.map((week): DatedPlanWeek => {
    const first = today + week.start_day;
    return {
      week: week.week,
      start_day: week.start_day,
      days: week.days,
      target_rate: week.target_rate,
      target_sessions: week.target_sessions,
      start_date: civilDate(first),
      end_date: civilDate(first + week.days - 1),
      dates: sessionDays(schedule, first, week.days, week.target_sessions).map(civilDate),
    };
  });
  return { ...plan, weeks };
}

/** Day of the plan on which the streak is that many occasions longer: the scheduled day, or the end of the week. */
function streakDay(schedule: Schedule, today: number, occasions: number): number {
  if (schedule.unit === 'week') return 7 * occasions;
  let day = 0;
  for (let due = 0; due < occasions;) if (isDue(schedule, today + ++day)) due++;
  return day;
}

/**
 * Places the sessions of a plan week on its first scheduled days, one a day; only a target above 7 a week goes round
 * again.
 * @param first day number of the first day
 * @param days 1 to 7
 * @param sessions 1 or more
 * @returns day numbers, ascending; fewer than `sessions` where a short week has too few scheduled days
 */
function sessionDays(schedule: Schedule, first: number, days: number, sessions: number): number[] {
  const due: number[] = [];
  for (let day = first; day < first + days; day++) if (isDue(schedule, day)) due.push(day);
  const rounds = Math.ceil(schedule.target / 7);
  const places = Array.from({ length: rounds }, () => due).flat();
  return places.slice(0, sessions).sort((a, b) => a - b);
}
