import type { ScoredHabit } from '../habits/scored-habit';
import { milestones, type Milestone } from './milestones';
import { weeklyTargets } from './target-ramp';

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
 * @param streakDay as in `milestones`
 */
export function planHabit(
  habit: ScoredHabit,
  horizonDays: number,
  targetPerWeek: number,
  streakDay: (occasions: number) => number,
): HabitPlan {
  const targets = weeklyTargets(habit.completionRate, habit.risk, targetPerWeek, Math.ceil(horizonDays / 7));
  return {
    index: habit.index,
    habit: habit.name,
    start_rate: habit.adherence,
    goal_rate: targets[targets.length - 1]!.rate,
    weeks: targets.map(({ rate, sessions }, week) => {
      const days = Math.min(7, horizonDays - 7 * week);
      return {
        week: week + 1,
        start_day: 7 * week + 1,
        days,
        target_rate: rate,
        target_sessions: days === 7 ? sessions : Math.max(1, Math.floor((sessions * days) / 7 + 0.5)),
      };
    }),
    milestones: milestones(horizonDays, habit.currentStreak, streakDay),
  };
}
