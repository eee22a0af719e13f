import { civilDate, dayNumber, type HabitHistory, type HabitSummary } from '@evenkeel/scoring';
import { type PackedHistory, STATUS_CODES, type TaskSummary } from '@evenkeel/scoring';

/** Objects as a service has them, from JSON: what is absent is no member. */
export function asParsed<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

export function someOf<Item>(count: number, item: (i: number) => Item): Item[] {
  return Array.from({ length: count }, (_, i) => item(i));
}

/** Credit of each day. */
export function aYear(i: number): Float64Array {
  return Float64Array.from({ length: 365 }, (_, day) => (day % 7 === 6 || (day + i) % 11 === 3 ? 0 : 1));
}

const FIVE_YEARS_DAYS = 1_826;

/** Five years of logs, with a mood on each: day-type, fixed days and weekly targets in turn. */
export function fiveYears(i: number): HabitHistory {
  const first = dayNumber('2021-01-04');
  const logs = Array.from({ length: FIVE_YEARS_DAYS }, (_, day) => day)
    .filter((day) => day % 7 !== 6 && (day + i) % 11 !== 3)
    .map((day) => {
      const status = day % 29 === 0 ? ('SKIPPED' as const) : ('COMPLETED' as const);
      return { localDate: civilDate(first + day), status, moodScore: 1 + ((day * (i + 3)) % 10) };
    });
  const schedules = [{}, { targetDaysMask: 21 }, { targetPerWeek: 1 + (i % 6) }, { targetPerWeek: 8 + (i % 3) }];
  return { name: `Habit number ${i}`, startDate: '2021-01-04', ...schedules[i % 4], logs };
}

/** As a database gives them. */
export function packed({ logs, ...terms }: HabitHistory): PackedHistory {
  return {
    ...terms,
    packed: {
      days: Int32Array.from(logs, ({ localDate }) => dayNumber(localDate)),
      statuses: Uint8Array.from(logs, ({ status }) => STATUS_CODES[status]),
      completionRates: new Int16Array(logs.length).fill(-1),
      moodScores: Int8Array.from(logs, ({ moodScore }) => moodScore ?? 0),
      energyScores: new Int8Array(logs.length),
      stressScores: new Int8Array(logs.length),
    },
  };
}

export const LAST_OF_FIVE_YEARS = civilDate(dayNumber('2021-01-04') + FIVE_YEARS_DAYS - 1);

export function aHabit(i: number): HabitSummary {
  return {
    name: `Habit number ${i}`,
    completion_rate: ((i * 37) % 101) / 100,
    current_streak: i % 7,
    best_streak: (i % 40) + 3,
    average_mood: 3 + (i % 6),
    mood_correlation: (i % 9) / 10,
    energy_trend: (['rising', 'stable', 'falling'] as const)[i % 3],
    risk_score: i % 2 ? 0.3 : undefined,
  };
}

export function aTask(i: number): TaskSummary {
  return {
    name: `task-${i}`,
    success_rate: 1 - (i % 12) / 100,
    current_streak: i % 5,
    best_streak: 30 + i,
    runs: i % 4 ? 20 + 17 * i : undefined,
    latency_trend: (['rising', 'stable', 'falling'] as const)[i % 3],
    p95_latency_ms: 100 * i,
    cadence: (['hourly', 'daily', 'weekly'] as const)[i % 3],
    critical: i % 2 === 0,
  };
}
