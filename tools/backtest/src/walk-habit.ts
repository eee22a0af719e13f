import { civilDate, dayNumber, lapseRiskEachMorning, type WeekStart } from '@evenkeel/scoring';
import { type Forecast, fourDecimals, type Series } from './forecasts';
import type { Habit } from './read-file';

/**
 * Forecasts a lapse on every morning of a habit's history from what its earlier days say, from the first morning on
 * which the engine has evidence to the last one of which it is known what came.
 *
 * Of the baselines, the strength is the one that Loop Habit Tracker shows: an exponential mean of the days from the
 * first on, with a half-life of 13 days for daily habits and longer for rarer ones; skipped days leave it as it was.
 * @see Loop Habit Tracker, its documentation of the habit score
 */
export function walkHabit(habit: Habit, weekStart: WeekStart): Series {
  const { name, kind, history, lastDay } = habit;
  const { times, days: within } = habit.frequency;
  const start = dayNumber(history.startDate);
  const weekTarget = weekTargetOf(habit);
  const days = observedDays(habit, weekTarget);
  const risks = lapseRiskEachMorning(history, civilDate(lastDay), weekStart);
  const kept = 0.5 ** (Math.sqrt(times / within) / 13);
  const forecasts: Forecast[] = [];
  let [earned, asked, recent, strength] = [0, 0, 0, 0];
  for (const [morning, { completion, isDue, isSkipped }] of days.entries()) {
    const engine = risks[morning] ?? null;
    const came = lapseFrom(days.slice(morning, morning + LAPSE_DAYS), weekTarget);
    if (engine !== null && came !== undefined && asked > 0) {
      const share = fourDecimals(1 - Math.min(1, earned / asked));
      const day = { day: start + morning, known: morning, came };
      forecasts.push({ ...day, engine, share, strength: fourDecimals(1 - strength) });
    }
    recent += completion - (days[morning - within]?.completion ?? 0);
    if (isSkipped) continue;
    const done = times >= within ? completion : recent / times;
    strength = strength * kept + Math.max(0, Math.min(1, done)) * (1 - kept);
    if (!isDue) continue;
    earned += completion;
    asked += weekTarget === undefined ? 1 : weekTarget / 7;
  }
  return { name, kind, forecasts };
}

/** Of a habit that is due so many times on any days of a week; undefined where each day stands by itself. */
function weekTargetOf({ history: { cadence, targetDaysMask, targetPerWeek } }: Habit): number | undefined {
  const target = targetPerWeek ?? (cadence === 'WEEKLY' ? 1 : 7);
  return (targetDaysMask ?? 0) === 0 && target !== 7 ? target : undefined;
}

interface Day {
  /** 0 to 1; up to 2 for targets above 7 a week. */
  completion: number;
  isDue: boolean;
  /** Although it was due, and without any work. */
  isSkipped: boolean;
}

/** From the start to the last day, whatever a forecast may see of them. */
function observedDays({ history, lastDay }: Habit, weekTarget: number | undefined): Day[] {
  const start = dayNumber(history.startDate);
  const mask = history.targetDaysMask ?? 0;
  const days = Array.from({ length: Math.max(0, lastDay - start + 1) }, (_, at): Day => {
    // 1970-01-01 was a Thursday; bit 0 of a mask is Monday.
    const isDue = mask === 0 || ((mask >> ((start + at + 3) % 7)) & 1) === 1;
    return { completion: 0, isDue, isSkipped: false };
  });
  const worked = new Set<Day>();
  for (const { localDate, status, completionRate } of history.logs) {
    const day = days[dayNumber(localDate) - start];
    if (!day) continue;
    if (status === 'SKIPPED') day.isSkipped = day.isDue;
    else {
      const earned = status === 'COMPLETED' ? 1 : (completionRate ?? 0.5);
      const isSum = weekTarget !== undefined && weekTarget > 7;
      day.completion = isSum ? Math.min(2, day.completion + earned) : Math.max(day.completion, earned);
      worked.add(day);
    }
  }
  for (const day of worked) day.isSkipped = false;
  return days;
}

/** Days that a lapse is a matter of, from the morning of the forecast on. */
const LAPSE_DAYS = 7;
const ROUNDING_ERROR = 1e-9;

/**
 * Whether fewer than half of the occasions of seven days were done; skipped days are left out as if they had not been
 * due. Undefined where that cannot be known: nothing was due, the history ends, or a week-type habit stayed below half
 * with a skipped day in it.
 */
function lapseFrom(days: readonly Day[], weekTarget: number | undefined): 0 | 1 | undefined {
  if (days.length < LAPSE_DAYS) return undefined;
  if (weekTarget !== undefined) {
    const earned = days.reduce((sum, { completion }) => sum + completion, 0);
    if (earned >= weekTarget / 2 - ROUNDING_ERROR) return 0;
    return days.some(({ isSkipped }) => isSkipped) ? undefined : 1;
  }
  const asked = days.filter(({ isDue, isSkipped }) => isDue && !isSkipped);
  if (asked.length === 0) return undefined;
  const kept = asked.filter(({ completion }) => completion >= 0.5 - ROUNDING_ERROR);
  return 2 * kept.length < asked.length ? 1 : 0;
}
