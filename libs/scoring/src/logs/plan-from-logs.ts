import { DEFAULT_HORIZON_DAYS } from '../habits/scored-habit';
import { type HabitPlan, planHabit, type PlanWeek, type StreakGrowth } from '../plan/plan-habit';
import { streakNoun, TEXTS } from '../texts';
import { civilDate } from './civil-days';
import { isDue, type Schedule } from './day-book';
import { type EvaluatedHabit, evaluateHistories } from './evaluate-histories';
import type { HistoriesRequest } from './habit-history';
import { viewpointOf } from './habit-record';

export interface DatedPlanWeek extends PlanWeek {
  /** Local dates, both included. */
  start_date: string;
  end_date: string;
  /** One per session that finds a scheduled day; a date appears twice when a day has two sessions. */
  dates: string[];
}

export interface DatedPlan {
  horizon_days: number;
  /** Tomorrow; a habit that starts later has the dates of its weeks. */
  starts_on: string;
  ends_on: string;
  /** One per habit, input order. */
  plan: HabitPlan<DatedPlanWeek>[];
  rationale: string;
}

/** Weekly targets and milestones for each habit, on dates from tomorrow, or from its start where that is later. */
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

function datedPlan({ scored, record: { schedule, startsOn } }: EvaluatedHabit, horizonDays: number, today: number) {
  // Of a habit that starts later the days are counted from its start.
  const before = startsOn === null ? today : startsOn - 1;
  const sessionsOf = ({ start_day, days, target_sessions }: PlanWeek) =>
    sessionDays(schedule, before + start_day, days, target_sessions);
  const plan = planHabit(scored, horizonDays, schedule.target, (weeks) =>
    growthAlong(weeks, schedule, scored.currentStreak, (week) => sessionsOf(week).map((day) => day - before)),
  );
  const weeks = plan.weeks.map((week): DatedPlanWeek => {
    const first = before + week.start_day;
    return {
      ...week,
      start_date: civilDate(first),
      end_date: civilDate(first + week.days - 1),
      dates: sessionsOf(week).map(civilDate),
    };
  });
  return { ...plan, weeks };
}

/**
 * A streak grows only where a plan asks for everything that is due: from its first full week on. Before that, following the
 * plan breaks it.
 * @param sessionsOf days of the plan on which a week has sessions
 */
function growthAlong(
  weeks: readonly PlanWeek[],
  { unit, target }: Schedule,
  currentStreak: number,
  sessionsOf: (week: PlanWeek) => number[],
): StreakGrowth | undefined {
  const full = weeks.findIndex((week) => week.target_sessions === target);
  if (full < 0) return undefined;
  const streak = full === 0 ? currentStreak : 0;
  const named = { streak, noun: streakNoun({ streakUnit: unit, target }), fromWeek: full + 1 };
  if (unit === 'week') return { ...named, dayOf: (occasions) => 7 * (full + occasions) };
  const sessions = weeks.slice(full).flatMap(sessionsOf);
  return { ...named, dayOf: (occasions) => sessions[occasions - 1] ?? Infinity };
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
