import { consistency, habitPriority, momentum } from '../habits/score-habit';
import type { EnergyTrend, HabitDriver, HabitSummary, ScoredHabit } from '../habits/scored-habit';
import { round4 } from '../numbers';
import { type RiskBand, riskBand, strongestDrivers } from '../risk-formulas';
import {
  DailyScores,
  ENERGY_DAYS,
  energyTrendOf,
  habitCorrelations,
  type HabitCorrelations,
  personScores,
} from './daily-scores';
import type { HistoriesRequest, ScoreMember } from './habit-history';
import { habitRecord, type HabitRecord, historyFacts, type Viewpoint, viewpointOf } from './habit-record';
import { lapseRiskOf } from './lapse-risk';
import { type CorrelationGap, isTold, type ScoreCorrelation } from './score-correlation';
import { type WeekdayFinding, weekdayFindings } from './weekdays';

/** Everything said of one habit from its logs; members in the order of the interface. */
export interface HabitMetrics {
  /** `none` while nothing was kept or missed yet: then risk, band and expectation are null. */
  evidence: 'logs' | 'none';
  completion_rate: number;
  /** Kept and missed ones of the window. */
  occasions: number;
  /** Of the window. */
  excused: number;
  skip_budget_remaining: number;
  adherence: number;
  expected_adherence: number | null;
  consistency: number;
  momentum: number;
  lapse_risk: number | null;
  band: RiskBand | null;
  priority: number;
  drivers: readonly HabitDriver[];
  strength: number;
  current_streak: number;
  best_streak: number;
  streak_unit: 'day' | 'week';
  average_mood: number | null;
  average_energy: number | null;
  average_stress: number | null;
  energy_trend: EnergyTrend | null;
  /** Null unless it differs from the other weekdays, as does the next one. */
  best_weekday: WeekdayFinding | null;
  worst_weekday: WeekdayFinding | null;
  /** Null when the window before has no occasion. */
  previous_period: { completion_rate: number; delta: number } | null;
  /** The next four are absent where withheld, the first three also where there is nothing to tell. */
  mood_correlation?: ScoreCorrelation;
  energy_correlation?: ScoreCorrelation;
  stress_correlation?: ScoreCorrelation;
  correlation_notes?: Partial<Record<'mood' | 'energy' | 'stress', CorrelationGap['reason']>>;
}

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
  const energy = new DailyScores(today - ENERGY_DAYS + 1, today).add(record.logs, 'energy');
  const energyTrend = energyTrendOf(energy);
  const averageMood = average('mood');
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
    average_energy: average('energy'),
    average_stress: average('stress'),
    energy_trend: energyTrend,
    best_weekday: weekdays.best,
    worst_weekday: weekdays.worst,
    previous_period:
      previous.occasions === 0
        ? null
        : { completion_rate: round4(previous.rate), delta: round4(completion.rate - previous.rate) },
  };
  return { scored, metrics: { ...metrics, ...tellCorrelations(correlations) }, record, correlations };
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

const DRIVERS: readonly HabitDriver[] = ['low_completion', 'days_since_last'];
/** Nothing is known yet; a plan then assumes a risk of 0.5. */
const UNKNOWN = { risk: 0.5, expectedAdherence: null, lapseRisk: null, band: null, priority: 0, drivers: [] };

/** From the logs, beside the record itself. Mood and energy change no number, only actions and texts. */
interface BesideRecord {
  readonly averageMood: number | undefined;
  readonly moodCorrelation: number | undefined;
  readonly energyTrend: HabitSummary['energy_trend'];
  readonly worstWeekday: WeekdayFinding | null;
}

/** The scores of a habit from its logs, in the form that lists, actions, texts and plans read. */
export function scoreHistory(record: HabitRecord, name: string, index: number, beside: BesideRecord): ScoredHabit {
  const { completion, streaks } = record;
  const adherence = round4(completion.rate);
  return {
    index,
    name,
    item: {
      name,
      completion_rate: adherence,
      current_streak: streaks.current,
      best_streak: streaks.best,
      average_mood: beside.averageMood,
      mood_correlation: beside.moodCorrelation,
      energy_trend: beside.energyTrend,
    },
    completionRate: completion.rate,
    currentStreak: streaks.current,
    bestStreak: streaks.best,
    averageMood: beside.averageMood,
    moodCorrelation: beside.moodCorrelation,
    energyTrend: beside.energyTrend,
    adherence,
    consistency: round4(consistency(completion.rate, streaks.current, streaks.best)),
    momentum: round4(momentum(streaks.current)),
    ...(record.evidence ? riskFromLogs(record) : UNKNOWN),
    facts: historyFacts(record, beside.worstWeekday),
  };
}

function riskFromLogs(record: HabitRecord) {
  const { risk, lowCompletion, daysSinceLast } = lapseRiskOf(record);
  const lapseRisk = round4(risk);
  return {
    risk,
    expectedAdherence: round4(1 - risk),
    lapseRisk,
    band: riskBand(lapseRisk),
    priority: round4(habitPriority(risk, record.streaks.current, record.streaks.best)),
    drivers: strongestDrivers(DRIVERS, [lowCompletion, daysSinceLast]),
  };
}
