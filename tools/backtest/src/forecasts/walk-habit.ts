import { dayNumber, civilDate, lapseRiskEachMorning, type WeekStart } from '@evenkeel/scoring';
import type { Frequency } from '@evenkeel/habit-files';
import type { Habit } from '../reading/habits-to-walk';
import { fourDecimals, noForecasts, type Forecasts } from './forecasts';

/**
 * Forecasts a lapse on every morning of a habit's history from what its earlier days say, from the first morning on
 * which the engine has evidence to the last one of which it is known what came.
 */
export function walkHabit(habit: Habit, weekStart: WeekStart): Forecasts {
  const days = observedDays(habit);
  const cameOn = lapsesOf(days);
  const strength = loopStrength(days, habit.frequency);
  const share = shareSoFar(days);
  const forecasts = noForecasts(habit.name, habit.kind);
  const risks = lapseRiskEachMorning(habit.history, civilDate(habit.lastDay), weekStart);
  for (const [morning, risk] of risks.entries()) {
    const came = cameOn(morning);
    const shareDone = share(morning);
    if (risk === null || came === undefined || shareDone === undefined) continue;
    forecasts.day.push(days.start + morning);
    forecasts.known.push(morning);
    forecasts.given.engine.push(risk);
    forecasts.given.share.push(fourDecimals(1 - shareDone));
    forecasts.given.strength.push(fourDecimals(1 - strength[morning]!));
    forecasts.came.push(came);
  }
  return forecasts;
}

/** How much of what was due before a morning was done, 0 to 1; undefined when nothing was due. Mornings must rise. */
function shareSoFar({ completion, due, skipped, weekTarget }: ObservedDays): (morning: number) => number | undefined {
  let day = 0;
  let earned = 0;
  let asked = 0;
  return (morning) => {
    for (; day < morning; day++) {
      if (due[day] === 0 || skipped[day] === 1) continue;
      earned += completion[day]!;
      asked += weekTarget === undefined ? 1 : weekTarget / 7;
    }
    return asked === 0 ? undefined : Math.min(1, earned / asked);
  };
}

/** The days of a habit, from its start to the last day, whatever a forecast may see of them. */
interface ObservedDays {
  readonly start: number;
  /** Completion of a day, 0 to 1; up to 2 for targets above 7 a week. */
  readonly completion: Float64Array;
  /** Skipped and nothing else. */
  readonly skipped: Uint8Array;
  /** A day on which work counts. */
  readonly due: Uint8Array;
  /** Of a habit that is due so many times on any days of a week; undefined where each day counts by itself. */
  readonly weekTarget: number | undefined;
}

function observedDays({ history, lastDay }: Habit): ObservedDays {
  const start = dayNumber(history.startDate);
  const length = Math.max(0, lastDay - start + 1);
  const mask = history.targetDaysMask ?? 0;
  const target = history.targetPerWeek ?? (history.cadence === 'WEEKLY' ? 1 : 7);
  const weekTarget = mask === 0 && target !== 7 ? target : undefined;
  const several = weekTarget !== undefined && weekTarget > 7;
  const completion = new Float64Array(length);
  const skipped = new Uint8Array(length);
  const worked = new Uint8Array(length);
  for (const { localDate, status, completionRate } of history.logs) {
    const at = dayNumber(localDate) - start;
    if (at < 0 || at >= length) continue;
    if (status === 'SKIPPED') skipped[at] = 1;
    else {
      const earned = status === 'COMPLETED' ? 1 : (completionRate ?? 0.5);
      completion[at] = several ? Math.min(2, completion[at]! + earned) : Math.max(completion[at]!, earned);
      worked[at] = 1;
    }
  }
  // 1970-01-01 was a Thursday; bit 0 of a mask is Monday.
  const due = new Uint8Array(length).map((_, at) => (mask === 0 ? 1 : (mask >> ((start + at + 3) % 7)) & 1));
  return {
    start,
    completion,
    due,
    skipped: skipped.map((skip, at) => skip & due[at]! & (1 - worked[at]!)),
    weekTarget,
  };
}

/** Days that a lapse is a matter of, from the morning of the forecast on. */
const LAPSE_DAYS = 7;
const ROUNDING_ERROR = 1e-9;

/**
 * Whether fewer than half of the occasions of the seven days from each morning on were done; skipped days are left out
 * as if they had not been due. Undefined where that cannot be known: nothing was due, the history ends, or a week-type
 * habit stayed below half with a skipped day in it.
 * @returns of a morning, counted from the start: 1, 0 or undefined
 */
function lapsesOf({ completion, due, skipped, weekTarget }: ObservedDays): (morning: number) => 0 | 1 | undefined {
  const asked = due.map((isDue, day) => isDue & (1 - skipped[day]!));
  const occasions = runningSums(asked);
  const kept = runningSums(
    asked.map((isAsked, day) => (isAsked === 1 && completion[day]! >= 0.5 - ROUNDING_ERROR ? 1 : 0)),
  );
  const earned = runningSums(completion);
  const skips = runningSums(skipped);
  return (morning) => {
    const end = morning + LAPSE_DAYS;
    if (end > completion.length) return undefined;
    const within = (sums: Float64Array) => sums[end]! - sums[morning]!;
    if (weekTarget !== undefined) {
      if (within(earned) >= weekTarget / 2 - ROUNDING_ERROR) return 0;
      return within(skips) > 0 ? undefined : 1;
    }
    if (within(occasions) === 0) return undefined;
    return 2 * within(kept) < within(occasions) ? 1 : 0;
  };
}

/** Place i holds the sum of the first i values. */
function runningSums(values: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = sums[i]! + values[i]!;
  return sums;
}

/**
 * The strength that Loop Habit Tracker shows, before each day: an exponential mean of the days from the first on, with a
 * half-life of 13 days for daily habits and longer for rarer ones; skipped days leave it as it was.
 * @returns 0 to 1; one place more than there are days
 * @see Loop Habit Tracker, its documentation of the habit score
 */
function loopStrength({ completion, skipped }: ObservedDays, { times, days }: Frequency): Float64Array {
  const kept = 0.5 ** (Math.sqrt(times / days) / 13);
  const isDaily = times >= days;
  const strength = new Float64Array(completion.length + 1);
  let recent = 0;
  for (let day = 0; day < completion.length; day++) {
    recent += completion[day]! - (day >= days ? completion[day - days]! : 0);
    const value = isDaily ? completion[day]! : recent / times;
    const before = strength[day]!;
    strength[day + 1] = skipped[day] === 1 ? before : before * kept + Math.max(0, Math.min(1, value)) * (1 - kept);
  }
  return strength;
}
