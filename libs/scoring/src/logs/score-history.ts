import { consistency, habitPriority, momentum } from '../habits/habit-formulas';
import type { HabitSummary } from '../habits/habit-summary';
import type { HabitDriver, ScoredHabit } from '../habits/scored-habit';
import { round4 } from '../numbers';
import { riskBand } from '../risk-formulas';
import { strongestDrivers } from '../strongest-drivers';
import type { HabitRecord } from './habit-record';
import { historyFacts } from './history-facts';
import { lapseRiskFromDays, lapseRiskFromWeeks } from './lapse-risk';
import type { WeekdayFinding } from './weekdays';

const DRIVERS: readonly HabitDriver[] = ['low_completion', 'days_since_last'];
/** Nothing is known yet; a plan then assumes a risk of 0.5. */
const UNKNOWN = { risk: 0.5, expectedAdherence: null, lapseRisk: null, band: null, priority: 0, drivers: [] };

/** What logs give beside the record itself. Mood and energy change no number, only actions and texts. */
export interface BesideRecord {
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

function riskFromLogs({ book, counted, schedule, occasions, weekStart, streaks }: HabitRecord) {
  const { risk, lowCompletion, daysSinceLast } =
    schedule.unit === 'day'
      ? lapseRiskFromDays(book.completion, counted)
      : lapseRiskFromWeeks({ book, counted, occasions, target: schedule.target, weekStart });
  const lapseRisk = round4(risk);
  return {
    risk,
    expectedAdherence: round4(1 - risk),
    lapseRisk,
    band: riskBand(lapseRisk),
    priority: round4(habitPriority(risk, streaks.current, streaks.best)),
    drivers: strongestDrivers(DRIVERS, [lowCompletion, daysSinceLast]),
  };
}
