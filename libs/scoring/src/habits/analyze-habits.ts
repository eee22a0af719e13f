import { meanScore } from '../numbers';
import type { RiskBand } from '../risk-formulas';
import { habitLists, type HabitLists } from './habit-lists';
import { scoreHabit } from './score-habit';
import {
  DEFAULT_HORIZON_DAYS,
  type EvidencedHabit,
  type HabitDriver,
  type HabitsRequest,
  highestRisk,
  ranked,
} from './scored-habit';

export interface HabitScores {
  index: number;
  habit: string;
  adherence: number;
  expected_adherence: number;
  consistency: number;
  momentum: number;
  lapse_risk: number;
  band: RiskBand;
  priority: number;
  drivers: readonly HabitDriver[];
}

export interface HabitsSummary extends HabitAggregate {
  habit_count: number;
  horizon_days: number;
  /** Input order. */
  per_habit: HabitScores[];
}

export interface HabitAnalysis extends HabitLists {
  aggregate_summary: HabitsSummary;
}

/**
 * Scores every habit, sums them up and says what stands out.
 * @param request 1 to 25 habits; horizon in days, 7 to 180, 35 when absent
 * @returns members in the order of the interface; lists by the order rule
 */
export function analyzeHabits(request: HabitsRequest): HabitAnalysis {
  return analysisOf(request.habits.map(scoreHabit), request.horizon_days);
}

/** @param habits in input order */
export function analysisOf(habits: readonly EvidencedHabit[], horizonDays = DEFAULT_HORIZON_DAYS): HabitAnalysis {
  const inOrder = ranked(habits);
  return {
    aggregate_summary: {
      habit_count: habits.length,
      horizon_days: horizonDays,
      ...aggregateHabits(inOrder),
      per_habit: habits.map(habitScores),
    },
    ...habitLists(inOrder),
  };
}

function habitScores(habit: EvidencedHabit): HabitScores {
  return {
    index: habit.index,
    habit: habit.name,
    adherence: habit.adherence,
    expected_adherence: habit.expectedAdherence,
    consistency: habit.consistency,
    momentum: habit.momentum,
    lapse_risk: habit.lapseRisk,
    band: habit.band,
    priority: habit.priority,
    drivers: habit.drivers,
  };
}

/** The scores of several habits together; a habit without evidence is in none of them. */
export interface HabitAggregate<Mean = number> {
  mean_adherence: Mean;
  mean_consistency: Mean;
  mean_momentum: Mean;
  mean_lapse_risk: Mean;
  bands: Record<RiskBand, number>;
  highest_risk: { habit: string; lapse_risk: number; band: RiskBand } | null;
}

/**
 * Means (of the rounded scores, on integers), counts of bands and the highest risk.
 * @param habits by the order rule
 */
export function aggregateHabits(habits: readonly EvidencedHabit[]): HabitAggregate {
  const bands = { low: 0, moderate: 0, high: 0 };
  for (const { band } of habits) bands[band]++;
  const worst = highestRisk(habits);
  return {
    mean_adherence: meanScore(habits.map(({ adherence }) => adherence)),
    mean_consistency: meanScore(habits.map(({ consistency }) => consistency)),
    mean_momentum: meanScore(habits.map(({ momentum }) => momentum)),
    mean_lapse_risk: meanScore(habits.map(({ lapseRisk }) => lapseRisk)),
    bands,
    highest_risk: worst ? { habit: worst.name, lapse_risk: worst.lapseRisk, band: worst.band } : null,
  };
}
