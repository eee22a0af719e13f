import type { ScoredHabit } from '../habits/scored-habit';
import { round4 } from '../numbers';
import { DailyScores, habitCorrelations, type HabitCorrelations, personScores, type ScoreMember } from './daily-scores';
import { ENERGY_DAYS, energyTrendOf } from './energy-trend';
import type { HistoriesRequest } from './habit-history';
import type { HabitMetrics } from './habit-metrics';
import { habitRecord, type HabitRecord, type Viewpoint, viewpointOf } from './habit-record';
import { isTold } from './score-correlation';
import { scoreHistory } from './score-history';
import { weekdayFindings } from './weekdays';

/** One habit, fully evaluated. */
export interface EvaluatedHabit {
  readonly scored: ScoredHabit;
  readonly metrics: HabitMetrics;
  readonly record: HabitRecord;
  /** Absent where withheld. */
  readonly correlations: HabitCorrelations | undefined;
}

/** Every habit of the request, in input order. */
export function evaluateHistories(request: HistoriesRequest): EvaluatedHabit[] {
  const viewpoint = viewpointOf(request);
  const records = request.habits.map((habit) => habitRecord(habit, viewpoint));
  const scores = personScores(records, request.otherHabits, viewpoint);
  return records.map((record, index) => {
    const correlations = request.correlations === 'withheld' ? undefined : habitCorrelations(record, scores);
    const name = request.habits[index]!.name;
    return evaluate(record, name, index, viewpoint, correlations);
  });
}

function evaluate(
  record: HabitRecord,
  name: string,
  index: number,
  { today, windowDays }: Viewpoint,
  correlations: HabitCorrelations | undefined,
): EvaluatedHabit {
  const average = (member: ScoreMember) => averageScore(record, member, today - windowDays + 1, today);
  const energy = new DailyScores(today - ENERGY_DAYS + 1, today).add(record.logs, 'energyScores');
  const energyTrend = energyTrendOf(energy);
  const averageMood = average('moodScores');
  const moodLink = correlations && isTold(correlations.mood) ? correlations.mood.coefficient : undefined;
  const weekdays = weekdayFindings(record.book, record.counted, today - windowDays + 1, today);
  const scored = scoreHistory(record, name, index, {
    averageMood: averageMood ?? undefined,
    moodCorrelation: moodLink,
    energyTrend: energyTrend ?? undefined,
    worstWeekday: weekdays.worst,
  });
  const { completion, previous, streaks } = record;
  const metrics: HabitMetrics = {
    evidence: record.evidence ? 'logs' : 'none',
    completion_rate: scored.adherence,
    occasions: completion.occasions,
    excused: completion.excused,
    skip_budget_remaining: record.skipBudgetRemaining,
    adherence: scored.adherence,
    expected_adherence: scored.expectedAdherence,
    consistency: scored.consistency,
    momentum: scored.momentum,
    lapse_risk: scored.lapseRisk,
    band: scored.band,
    priority: scored.priority,
    drivers: scored.drivers,
    strength: round4(record.strength),
    current_streak: streaks.current,
    best_streak: streaks.best,
    streak_unit: record.schedule.unit,
    average_mood: averageMood,
    average_energy: average('energyScores'),
    average_stress: average('stressScores'),
    energy_trend: energyTrend,
    best_weekday: weekdays.best,
    worst_weekday: weekdays.worst,
    previous_period:
      previous.occasions === 0
        ? null
        : { completion_rate: round4(previous.rate), delta: round4(completion.rate - previous.rate) },
  };
  // Not a copy: V8 gives each copy a hidden class of its own, outside of its room for new objects.
  return { scored, metrics: Object.assign(metrics, tellCorrelations(correlations)), record, correlations };
}

/** Mean of the habit's own scores in the window, each log counted once; null without any. */
function averageScore({ logs }: HabitRecord, member: ScoreMember, from: number, until: number): number | null {
  const mean = new DailyScores(from, until).add(logs, member).mean();
  return mean === null ? null : round4(mean);
}

/** Withheld members are absent, never null. */
function tellCorrelations(correlations: HabitCorrelations | undefined): Partial<HabitMetrics> {
  if (!correlations) return {};
  const { mood, energy, stress } = correlations;
  return {
    ...(isTold(mood) && { mood_correlation: mood }),
    ...(isTold(energy) && { energy_correlation: energy }),
    ...(isTold(stress) && { stress_correlation: stress }),
    correlation_notes: {
      ...(!isTold(mood) && { mood: mood.reason }),
      ...(!isTold(energy) && { energy: energy.reason }),
      ...(!isTold(stress) && { stress: stress.reason }),
    },
  };
}
