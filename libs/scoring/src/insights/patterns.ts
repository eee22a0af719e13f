import { brokenStreak, highlightOf } from '../habits/habit-lists';
import type { EvidencedHabit } from '../habits/scored-habit';
import { round4, tenThousandths } from '../numbers';
import { TEXTS } from '../texts';
import { isWorthSaying, moodAcrossHabits } from './mood-link';

const FEWEST_HABITS = 4;
const TOP = 3;

export type PatternCode =
  | 'strong_streak'
  | 'high_adherence'
  | 'broken_streak'
  | 'falling_energy'
  | 'rising_energy'
  | 'mood_link'
  | 'risk_concentration'
  | 'mood_across_habits';

/** Something seen in one habit, or in several: then without index and habit. */
export interface Pattern {
  code: PatternCode;
  index: number | null;
  habit: string | null;
  statement: string;
  /** The numbers behind the statement. */
  evidence: Readonly<Record<string, number | string>>;
}

/** @param habits by the order rule, which the patterns follow; those about several habits come last */
export function patternsOf(habits: readonly EvidencedHabit[]): Pattern[] {
  return [...habits.flatMap(ofOneHabit), ...acrossHabits(habits)];
}

function ofOneHabit(habit: EvidencedHabit): Pattern[] {
  const patterns: Pattern[] = [];
  const found = (code: PatternCode, statement: string, evidence: Pattern['evidence']) =>
    patterns.push({ code, index: habit.index, habit: habit.name, statement, evidence });

  const highlight = highlightOf(habit);
  if (highlight === 'strong_streak') {
    const evidence = { current_streak: habit.currentStreak, momentum: habit.momentum };
    found(highlight, TEXTS.statements.strong_streak(habit), evidence);
  }
  if (highlight === 'high_adherence') {
    found(highlight, TEXTS.statements.high_adherence(habit), { completion_rate: habit.adherence });
  }
  if (brokenStreak(habit)) {
    const evidence = { current_streak: habit.currentStreak, best_streak: habit.bestStreak };
    found('broken_streak', TEXTS.statements.broken_streak(habit), evidence);
  }
  if (habit.energyTrend === 'falling') {
    found('falling_energy', TEXTS.statements.falling_energy(), { energy_trend: 'falling' });
  }
  if (habit.energyTrend === 'rising') {
    found('rising_energy', TEXTS.statements.rising_energy(), { energy_trend: 'rising' });
  }
  if (isWorthSaying(habit.moodCorrelation)) {
    const evidence = { mood_correlation: habit.moodCorrelation };
    found('mood_link', TEXTS.statements.link('mood', habit.moodCorrelation), evidence);
  }
  return patterns;
}

function acrossHabits(habits: readonly EvidencedHabit[]): Pattern[] {
  const patterns: Pattern[] = [];
  const found = (code: PatternCode, statement: string, evidence: Pattern['evidence']) =>
    patterns.push({ code, index: null, habit: null, statement, evidence });

  const share = riskConcentration(habits);
  if (share !== undefined) {
    const n = habits.length;
    found('risk_concentration', TEXTS.statements.risk_concentration(n, share), { n, share });
  }
  const mood = moodAcrossHabits(habits);
  if (mood) {
    const { n, coefficient } = mood;
    found('mood_across_habits', TEXTS.statements.mood_across_habits(n, coefficient), { n, coefficient });
  }
  return patterns;
}

/**
 * Share of all lapse risk that the top three habits hold.
 * @param habits by the order rule
 * @returns 0 to 1, four decimals; undefined below 4 habits
 */
function riskConcentration(habits: readonly EvidencedHabit[]): number | undefined {
  if (habits.length < FEWEST_HABITS) return undefined;
  let top = 0;
  let all = 0;
  habits.forEach((habit, place) => {
    const risk = tenThousandths(habit.lapseRisk);
    all += risk;
    if (place < TOP) top += risk;
  });
  return round4(top / all);
}
