import { analysisOf, type HabitAnalysis, type HabitsSummary } from '../habits/analyze-habits';
import { brokenStreak, highlightOf } from '../habits/habit-lists';
import { scoreHabit } from '../habits/score-habit';
import { type EvidencedHabit, type HabitDriver, type HabitsRequest, ranked } from '../habits/scored-habit';
import { round4, tenThousandths } from '../numbers';
import { type LinkVariable, TEXTS } from '../texts';
import {
  isWorthSaying,
  linkDirection,
  type LinkDirection,
  linkStrength,
  type LinkStrength,
  moodAcrossHabits,
} from './mood-link';

export interface HabitInsights extends HabitAnalysis {
  /** Equal to `aggregate_summary`: the two published schemas name it differently. */
  summary: HabitsSummary;
  patterns: Pattern[];
  correlations: CorrelationFinding[];
  risk_signals: RiskSignal[];
}

/**
 * The analysis, with patterns, correlations and risk signals.
 * @param request 1 to 25 habits; horizon in days, 7 to 180, 35 when absent
 */
export function insightsForHabits(request: HabitsRequest): HabitInsights {
  const habits = request.habits.map(scoreHabit);
  const analysis = analysisOf(habits, request.horizon_days);
  const inOrder = ranked(habits);
  return {
    summary: analysis.aggregate_summary,
    ...analysis,
    patterns: patternsOf(inOrder),
    correlations: correlationsOf(inOrder),
    risk_signals: riskSignalsOf(inOrder),
  };
}

export interface CorrelationFinding {
  /** Null for the one over several habits. */
  index: number | null;
  habit: string | null;
  variable: LinkVariable;
  coefficient: number;
  strength: LinkStrength;
  direction: LinkDirection;
  /** `caller`: taken from the summary; `computed`: over the habits of the request. */
  source: 'caller' | 'computed';
  /** Habits behind a computed one. */
  n?: number;
}

/** @param habits by the order rule, which the findings follow */
function correlationsOf(habits: readonly EvidencedHabit[]): CorrelationFinding[] {
  const findings = habits.flatMap(({ index, name: habit, moodCorrelation: r }): CorrelationFinding[] =>
    isWorthSaying(r) ? [{ index, habit, ...link(r), source: 'caller' }] : [],
  );
  const across = moodAcrossHabits(habits);
  if (across) findings.push({ index: null, habit: null, ...link(across.coefficient), source: 'computed', n: across.n });
  return findings;
}

function link(r: number): Pick<CorrelationFinding, 'variable' | 'coefficient' | 'strength' | 'direction'> {
  return { variable: 'mood', coefficient: r, strength: linkStrength(r), direction: linkDirection(r) };
}

export interface RiskSignal {
  index: number;
  habit: string;
  code: 'moderate_lapse_risk' | 'high_lapse_risk';
  band: 'moderate' | 'high';
  /** Lapse risk, 0 to 1. */
  value: number;
  drivers: readonly HabitDriver[];
}

/** Every habit of the bands moderate and high. @param habits by the order rule, which the signals follow */
function riskSignalsOf(habits: readonly EvidencedHabit[]): RiskSignal[] {
  return habits.flatMap(({ index, name: habit, band, lapseRisk: value, drivers }) =>
    band === 'low' ? [] : [{ index, habit, code: `${band}_lapse_risk` as const, band, value, drivers }],
  );
}

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
function patternsOf(habits: readonly EvidencedHabit[]): Pattern[] {
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
  const sum = (some: readonly EvidencedHabit[]) =>
    some.reduce((risk, { lapseRisk }) => risk + tenThousandths(lapseRisk), 0);
  return round4(sum(habits.slice(0, TOP)) / sum(habits));
}
