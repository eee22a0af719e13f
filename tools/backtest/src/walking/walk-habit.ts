import { civilDate, lapseRiskEachMorning, type WeekStart } from '@evenkeel/scoring';
import type { Habit } from '../reading/collected-habits';
import { fourDecimals, MARKS_BEFORE, noForecasts, type Forecasts, type Mark } from './forecasts';
import { LAPSE_DAYS, lapsesOf } from './lapses';
import { loopStrength } from './loop-strength';
import { observedDays, type ObservedDays } from './observed-days';

/**
 * Forecasts a lapse on every morning of a habit's history from what its earlier days say, from the first morning on
 * which the engine has evidence to the last one of which it is known what came.
 */
export function walkHabit(habit: Habit, weekStart: WeekStart): Forecasts {
  const days = observedDays(habit);
  const cameOn = lapsesOf(days);
  const strength = loopStrength(days, habit.frequency);
  const share = shareSoFar(days);
  const forecasts = noForecasts(habit.name, habit.kind, (place) => marksAround(days, forecasts.known[place]!));
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
function shareSoFar({ credit, due, skipped, weekTarget }: ObservedDays): (morning: number) => number | undefined {
  let day = 0;
  let earned = 0;
  let asked = 0;
  return (morning) => {
    for (; day < morning; day++) {
      if (due[day] === 0 || skipped[day] === 1) continue;
      earned += credit[day]!;
      asked += weekTarget === undefined ? 1 : weekTarget / 7;
    }
    return asked === 0 ? undefined : Math.min(1, earned / asked);
  };
}

function marksAround(days: ObservedDays, morning: number): { before: string; after: string } {
  const marks = (from: number, until: number) => {
    let text = '';
    for (let day = Math.max(0, from); day < until; day++) text += markOf(days, day);
    return text;
  };
  return { before: marks(morning - MARKS_BEFORE, morning), after: marks(morning, morning + LAPSE_DAYS) };
}

function markOf({ credit, due, skipped, weekTarget }: ObservedDays, day: number): Mark {
  if (skipped[day] === 1) return 's';
  if (due[day] === 0) return '-';
  const isDone = weekTarget === undefined ? credit[day]! >= 0.5 : credit[day]! > 0;
  if (isDone) return 'd';
  // On a day without work a week-type habit was not missed: it has the rest of its week.
  return weekTarget === undefined ? 'm' : '-';
}
