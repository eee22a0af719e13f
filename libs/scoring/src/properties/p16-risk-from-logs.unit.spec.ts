import fc from 'fast-check';
import type { HabitLog } from '../index';
import { civilDate, dayNumber } from '../logs/civil-days';
import { isDue, scheduleOf } from '../logs/schedule';
import { firstDayOfWeek } from '../logs/week';
import { forEachOf } from './for-each-of.fixture';
import { aLife, type Life } from './histories.fixture';
import { recordOf, scored } from './evaluated.fixture';

const aHistory = aLife({ min: 3, max: 30 });

describe('P16', () => {
  it('never raises risk for an occasion completed today or on a day without a log', () => {
    forEachOf(fc.tuple(aHistory, fc.nat(25)), ([life, back]) => {
      const day = Math.max(dayNumber(life.habit.startDate), dayNumber(life.asOf) - back);
      const empty = {
        ...life,
        habit: { ...life.habit, logs: life.habit.logs.filter((log) => log.localDate !== civilDate(day)) },
      };
      if (isInExcusedWeek(empty, day)) return true;
      return isRising(risk(withLog(empty, day, 'COMPLETED')), risk(empty));
    });
  });

  it('never raises risk for a further completed occasion, nor lowers it for a further missed one', () => {
    forEachOf(aHistory, (life) => {
      const today = dayNumber(life.asOf);
      if (today < dayNumber(life.habit.startDate) || isInExcusedWeek(life, today)) return true;
      const logged = withLog(life, today, 'PARTIAL');
      let next = today + 1;
      while (!isDue(scheduleOf(life.habit), next)) next++;
      const then = { ...logged, asOf: civilDate(next) };
      const open = {
        ...then,
        habit: { ...then.habit, logs: then.habit.logs.filter((log) => log.localDate <= life.asOf) },
      };
      const missed = risk(withLog(open, next, 'PARTIAL'));
      return (
        // Against the same day while it is open: of a week-type habit, the day before loses nothing until it is over.
        isRising(risk(withLog(open, next, 'COMPLETED')), risk(open)) &&
        isRising(risk(open), missed) &&
        isRising(risk(logged), missed)
      );
    });
  });
});

function risk(life: Life): number | null {
  return scored(life).lapseRisk;
}

/** Nothing is promised between no evidence and the first. */
function isRising(lower: number | null, higher: number | null): boolean {
  return lower === null || higher === null || lower <= higher;
}

/** A PARTIAL log with no credit is a miss that is known at once. */
function withLog(life: Life, day: number, status: 'COMPLETED' | 'PARTIAL'): Life {
  const log: HabitLog = { localDate: civilDate(day), status, completionRate: status === 'PARTIAL' ? 0 : 1 };
  return { ...life, habit: { ...life.habit, logs: [...life.habit.logs, log] } };
}

function isInExcusedWeek(life: Life, day: number): boolean {
  if (scheduleOf(life.habit).unit === 'day') return false;
  const lastDay = firstDayOfWeek(day, life.weekStart) + 6;
  return recordOf(life).occasions.some((week) => week.day === lastDay && week.verdict === 'excused');
}
