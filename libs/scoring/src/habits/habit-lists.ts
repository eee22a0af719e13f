import { TEXTS } from '../texts';
import { scoreHabit } from './score-habit';
import { type EvidencedHabit, type HabitsRequest, isEvidenced, ranked, type ScoredHabit } from './scored-habit';

const LEAST_HELD = 0.05;
/** With fewer counted occasions no text mentions the rate. */
const FEWEST_OCCASIONS = { day: 7, week: 3 } as const;

export type HabitAction = 'restart' | 'shrink' | 'reschedule' | 'support_mood' | 'progress' | 'maintain' | 'start';

/** The one next step for a habit: the first rule that holds. */
export function nextBestAction(habit: ScoredHabit): HabitAction {
  if (habit.band === null) return 'start';
  if (brokenStreak(habit)) return 'restart';
  if (habit.lapseRisk >= 0.5) return holdsNothing(habit) ? 'restart' : 'shrink';
  if (targetIsOutOfReach(habit)) return 'shrink';
  if (habit.energyTrend === 'falling' || habit.facts?.worstWeekday) return 'reschedule';
  if (lowMoodMatters(habit)) return 'support_mood';
  if (habit.adherence >= 0.85 && habit.currentStreak >= 7) return 'progress';
  return 'maintain';
}

/** A streak of a week or more that ended. */
export function brokenStreak(habit: ScoredHabit): boolean {
  return habit.currentStreak === 0 && habit.bestStreak >= 7;
}

/** Then there is no level to which a target could be lowered. */
function holdsNothing({ adherence, facts }: ScoredHabit): boolean {
  return adherence < LEAST_HELD || facts?.target === 1;
}

/** Much is done, and yet hardly ever enough for the week: two sessions a week of a target of three. */
function targetIsOutOfReach({ adherence, currentStreak, facts }: ScoredHabit): boolean {
  if (facts?.streakUnit !== 'week' || facts.target === 1 || facts.occasions < FEWEST_OCCASIONS.week) return false;
  return adherence >= LEAST_HELD && currentStreak === 0 && facts.keptOccasions < facts.occasions / 4;
}

function lowMoodMatters({ averageMood, moodCorrelation }: ScoredHabit): boolean {
  return averageMood !== undefined && averageMood < 5 && moodCorrelation !== undefined && moodCorrelation >= 0.3;
}

type HabitHighlight = 'strong_streak' | 'high_adherence';

/** A strength of a habit, at most one: the first that holds. */
export function highlightOf(habit: EvidencedHabit): HabitHighlight | undefined {
  if (habit.band !== 'low') return undefined;
  if (habit.momentum >= 0.6) return 'strong_streak';
  return habit.adherence >= 0.85 && hasEnoughOccasions(habit) ? 'high_adherence' : undefined;
}

/** Of a summary it is not known. */
function hasEnoughOccasions({ facts }: ScoredHabit): boolean {
  return !facts || facts.occasions >= FEWEST_OCCASIONS[facts.streakUnit];
}

export type HabitWatchout = 'high_lapse_risk' | 'broken_streak' | 'falling_energy';

/** Reasons for attention: all that hold. */
export function watchoutsOf(habit: EvidencedHabit): HabitWatchout[] {
  const watchouts: HabitWatchout[] = [];
  if (habit.band === 'high') watchouts.push('high_lapse_risk');
  if (brokenStreak(habit)) watchouts.push('broken_streak');
  if (habit.energyTrend === 'falling' && habit.band !== 'low') watchouts.push('falling_energy');
  return watchouts;
}

/** The three lists of texts. They do not depend on the order of the input. */
export interface HabitLists {
  highlights: string[];
  watchouts: string[];
  recommendations: string[];
}

/** @param habits by the order rule */
export function habitLists(habits: readonly ScoredHabit[]): HabitLists {
  const lists: HabitLists = { highlights: [], watchouts: [], recommendations: [] };
  for (const habit of habits) {
    lists.recommendations.push(`${habit.name}: ${TEXTS.actions[nextBestAction(habit)](habit)}`);
    if (!isEvidenced(habit)) continue;
    const highlight = highlightOf(habit);
    if (highlight) lists.highlights.push(`${habit.name}: ${TEXTS.highlights[highlight](habit)}`);
    for (const code of watchoutsOf(habit)) lists.watchouts.push(`${habit.name}: ${TEXTS.watchouts[code](habit)}`);
  }
  return lists;
}

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
