import { TEXTS } from '../texts';
import { type HabitAction, nextBestAction } from './habit-lists';
import type { HabitsRequest } from './habit-summary';
import { scoreHabit } from './score-habit';
import { isEvidenced, ranked, type ScoredHabit } from './scored-habit';

export interface HabitRecommendation {
  habit: string;
  action: string;
  rationale: string;
  priority: number;
  index: number;
  code: HabitAction;
}

export interface HabitRecommendations {
  recommendations: HabitRecommendation[];
  /** Habits received. */
  generated_for_habits: number;
}

/**
 * One next-best action per habit, by the order rule.
 * @param request 1 to 25 habits
 */
export function recommendForHabits(request: HabitsRequest): HabitRecommendations {
  return recommendationsOf(request.habits.map(scoreHabit));
}

/** @param habits in input order */
export function recommendationsOf(habits: readonly ScoredHabit[]): HabitRecommendations {
  return { recommendations: ranked(habits).map(recommendation), generated_for_habits: habits.length };
}

function recommendation(habit: ScoredHabit): HabitRecommendation {
  const code = nextBestAction(habit);
  return {
    habit: habit.name,
    action: TEXTS.actions[code](habit),
    rationale: rationale(habit, code),
    priority: habit.priority,
    index: habit.index,
    code,
  };
}

function rationale(habit: ScoredHabit, action: HabitAction): string {
  if (!isEvidenced(habit)) return TEXTS.rationale.start;
  const numbers = TEXTS.rationale.habit(habit);
  if (action === 'reschedule') return numbers + TEXTS.rationale.reschedule(habit);
  if (action === 'support_mood') return numbers + TEXTS.rationale.support_mood(habit);
  return numbers;
}
