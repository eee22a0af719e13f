import fc from 'fast-check';
import {
  analyzeLogs,
  type HabitHistory,
  habitStats,
  historyDay,
  historyStats,
  type HistoryStats,
  lapseRiskEachMorning,
} from '../index';
import { civilDate, dayNumber, firstDayOfWeek } from '../logs/civil-days';
import { ROUNDING_ERROR } from '../numbers';
import { forEachOf } from './for-each-of.fixture';
import { aLife, type Life } from './histories.fixture';

const aHistory = aLife({ min: 1, max: 60 });
const WINDOW_DAYS = 30;

describe('historyStats', () => {
  it('has the completion rate, occasions and excused ones of analyzeLogs in its days or weeks', () => {
    forEachOf(aHistory, (life) => {
      const { completion_rate, occasions, excused } = metricsOf(life);
      const shown = occasionsShown(statsOf(life));
      const counted = shown.filter(({ state }) => state === 'kept' || state === 'missed');
      const earned = counted.reduce((total, { share }) => total + share, 0);
      const rate = counted.length === 0 ? 0 : earned / counted.length;
      return (
        counted.length === occasions &&
        shown.filter(({ state }) => state === 'excused').length === excused &&
        Math.abs(rate - completion_rate) <= 0.000_05 + ROUNDING_ERROR
      );
    });
  });

  it('has the best and the worst weekday of analyzeLogs', () => {
    forEachOf(aHistory, (life) => {
      const { weekdays } = statsOf(life);
      const { best_weekday, worst_weekday } = metricsOf(life);
      return [best_weekday, worst_weekday].every((found) => {
        if (!found) return true;
        const { n, completion_rate } = weekdays[found.weekday - 1]!;
        return n === found.n && completion_rate === found.completion_rate;
      });
    });
  });

  it('has the streaks of habitStats, each where its kept occasions are, the best one first', () => {
    forEachOf(aHistory, (life) => {
      const { currentStreak, bestStreak, streakUnit } = numbersBeside(life.habit, life.asOf, life);
      const { streaks, streak_unit } = statsOf(life);
      const { current, best, best_from, best_to, list } = streaks;
      if (current !== currentStreak || best !== bestStreak || streak_unit !== streakUnit) return false;
      const isFirst = best_from === (list[0]?.from ?? null) && best_to === (list[0]?.to ?? null);
      if (!isFirst || list.length > 10 || (list[0]?.length ?? 0) !== best) return false;
      return list.every(({ from, to, length }, at) => {
        const run = occasionsShown(statsOf(life, from, to));
        const count = (state: string) => run.filter((occasion) => occasion.state === state).length;
        const isWhole = count('kept') === length && count('missed') === 0 && run[0]!.state === 'kept';
        return isWhole && length <= (list[at - 1]?.length ?? Infinity);
      });
    });
  });

  it('has the strength that habitStats had when each week was over, and the one of today', () => {
    forEachOf(aHistory, (life) => {
      const { strength } = statsOf(life, life.habit.startDate, life.asOf);
      const start = dayNumber(life.habit.startDate);
      const today = dayNumber(life.asOf);
      const weeks = (firstDayOfWeek(today + 1, life.weekStart) - firstDayOfWeek(start, life.weekStart)) / 7;
      const endsWithWeek = firstDayOfWeek(today + 1, life.weekStart) === today + 1;
      if (strength.length !== (today < start ? 0 : weeks + (endsWithWeek ? 0 : 1))) return false;
      return strength.every(({ date, value }) => {
        if (date === life.asOf) return value === numbersBeside(life.habit, date, life).strength;
        const logs = life.habit.logs.filter(({ localDate }) => localDate <= date);
        const nextDay = civilDate(dayNumber(date) + 1);
        return value === numbersBeside({ ...life.habit, logs }, nextDay, life).strength;
      });
    });
  });

  it('shows every day from the first to the last one asked for, in part of the history as in all of it', () => {
    forEachOf(fc.tuple(aHistory, fc.integer({ min: -20, max: 70 }), fc.nat(30)), ([life, after, length]) => {
      const first = dayNumber(life.habit.startDate) + after;
      const [from, to] = [civilDate(first), civilDate(first + length)];
      const part = statsOf(life, from, to);
      const all = statsOf(life, civilDate(first - 7), civilDate(first + length + 7));
      return (
        part.days.length === length + 1 &&
        JSON.stringify(part.days) === JSON.stringify(all.days.slice(7, -7)) &&
        JSON.stringify(part.weeks) === JSON.stringify(all.weeks?.slice(1, -1)) &&
        part.days.every(({ date, state }) => state === 'off' || (date >= life.habit.startDate && date <= life.asOf))
      );
    });
  });

  it('says of a single day what historyDay says', () => {
    forEachOf(fc.tuple(aHistory, fc.nat(40)), ([life, before]) => {
      const { habit, asOf, weekStart } = life;
      const date = civilDate(dayNumber(asOf) - before);
      const { days, weeks, streaks } = statsOf(life, date, date);
      const day = historyDay(habit, { date, today: asOf, weekStart });
      const state = (weeks ?? days)[0]!.state.replace('pending', weeks ? 'open_week' : 'due');
      const isFirstWeek = state === 'off' && day.state === 'open_week';
      return (
        (day.state === state || isFirstWeek) &&
        day.credit === days[0]!.credit &&
        day.current_streak === streaks.current &&
        (!weeks || (day.done_this_week === weeks[0]!.credit && day.target === weeks[0]!.target))
      );
    });
  });
});

function statsOf(life: Life, from = windowStart(life), to = life.asOf): HistoryStats {
  return historyStats(life.habit, { from, to, today: life.asOf, weekStart: life.weekStart });
}

function windowStart({ asOf }: Life): string {
  return civilDate(dayNumber(asOf) - WINDOW_DAYS + 1);
}

/** The days of a day-type habit, the weeks of a week-type one. */
function occasionsShown({ days, weeks }: HistoryStats): { state: string; share: number }[] {
  if (weeks) return weeks.map(({ state, credit, target }) => ({ state, share: Math.min(1, credit / target) }));
  return days.map(({ state, credit }) => ({ state, share: credit }));
}

function metricsOf({ habit, asOf, weekStart }: Life) {
  return analyzeLogs({ habits: [habit], asOf, weekStart, windowDays: WINDOW_DAYS }).habits[0]!.metrics;
}

function numbersBeside(habit: HabitHistory, asOf: string, { weekStart }: Life) {
  return habitStats(habit, asOf, weekStart);
}

it.each([
  ['on each morning', { min: 3, max: 60 }, -Infinity],
  ['on the last one, where skips run out of their budget', { min: 100, max: 150 }, -1],
])('lapseRiskEachMorning is the risk of analyzeLogs as it was %s', (_, days, from) => {
  fc.assert(
    fc.property(aLife(days), ({ habit, asOf, weekStart }) => {
      const risks = lapseRiskEachMorning(habit, asOf, weekStart);
      expect(risks).toHaveLength(Math.max(0, dayNumber(asOf) - dayNumber(habit.startDate) + 1));
      risks.forEach((risk, day) => {
        if (day < risks.length + from) return;
        const morning = civilDate(dayNumber(habit.startDate) + day);
        const seen = { ...habit, logs: habit.logs.filter(({ localDate }) => localDate < morning) };
        expect(analyzeLogs({ habits: [seen], asOf: morning, weekStart }).habits[0]!.metrics.lapse_risk).toBe(risk);
      });
    }),
    { numRuns: sized(200, 1_000) },
  );
});
