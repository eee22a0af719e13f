import fc from 'fast-check';
import { analyzeLogs, type HabitHistory, type HabitLog } from '../index';
import { civilDate, dayNumber, firstDayOfWeek } from '../logs/civil-days';
import { isDue, scheduleOf } from '../logs/day-book';
import { forEachOf } from './for-each-of.fixture';
import { aLife, type Life, occasionsAt, recordOf, scored } from './histories.fixture';

const aLog = fc.record({
  daysLater: fc.integer({ min: 1, max: 400 }),
  status: fc.constantFrom('COMPLETED' as const, 'PARTIAL' as const, 'SKIPPED' as const),
  moodScore: fc.integer({ min: 1, max: 10 }),
});

describe('S15', () => {
  it('does not see the order of logs, the same log twice (targets up to 7), or logs after the evaluation day', () => {
    const changes = fc.record({
      life: aLife({ min: 5, max: 22 }),
      turn: fc.nat(60),
      repeated: fc.array(fc.nat(60), { maxLength: 5 }),
      later: fc.array(aLog, { maxLength: 3 }),
      start: fc.constantFrom('given', 'of creation', 'of the earliest log'),
    });
    forEachOf(changes, ({ life: { habit, ...viewpoint }, turn, repeated, later, start }) => {
      const startDate = start === 'given' ? habit.startDate : undefined;
      const createdOn = start === 'of creation' ? habit.startDate : undefined;
      const life = { ...viewpoint, habit: { ...habit, startDate, createdOn } };
      const { logs, targetPerWeek } = life.habit;
      const twice = (targetPerWeek ?? 7) > 7 || logs.length === 0 ? [] : repeated.map((i) => logs[i % logs.length]!);
      const after = later.map(({ daysLater, ...log }): HabitLog => {
        return { ...log, localDate: civilDate(dayNumber(life.asOf) + daysLater) };
      });
      const changed = [...logs.slice(turn), ...twice, ...after, ...logs.slice(0, turn).reverse()];
      return answer(life, logs) === answer(life, changed);
    });
  });
});

function answer(
  { habit, asOf, weekStart }: Omit<Life, 'habit'> & { habit: HabitHistory },
  logs: readonly HabitLog[],
): string {
  return JSON.stringify(analyzeLogs({ habits: [{ ...habit, logs }], asOf, weekStart }));
}

const aHistory = aLife({ min: 3, max: 30 });

describe('S16', () => {
  it('never raises risk for an occasion completed today or on a day without a log', () => {
    forEachOf(fc.tuple(aHistory, fc.nat(25)), ([life, back]) => {
      const day = Math.max(dayNumber(life.habit.startDate), dayNumber(life.asOf) - back);
      const empty = withoutLogs(life, ({ localDate }) => localDate === civilDate(day));
      if (isInExcusedWeek(empty, day)) return true;
      return isRising(risk(withOccasion(empty, day, 'COMPLETED')), risk(empty));
    });
  });

  it('never raises risk for a further completed occasion, nor lowers it for a further missed one', () => {
    forEachOf(aHistory, (life) => {
      const today = dayNumber(life.asOf);
      if (today < dayNumber(life.habit.startDate) || isInExcusedWeek(life, today)) return true;
      const logged = withOccasion(life, today, 'PARTIAL');
      let next = today + 1;
      while (!isDue(scheduleOf(life.habit), next)) next++;
      const then = { ...logged, asOf: civilDate(next) };
      const open = withoutLogs(then, ({ localDate }) => localDate > life.asOf);
      const missed = risk(withOccasion(open, next, 'PARTIAL'));
      return (
        // Against the same day while it is open: of a week-type habit, the day before loses nothing until it is over.
        isRising(risk(withOccasion(open, next, 'COMPLETED')), risk(open)) &&
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

/** A PARTIAL log without completion is a miss that is known at once. */
function withOccasion(life: Life, day: number, status: 'COMPLETED' | 'PARTIAL'): Life {
  return withLog(life, day, { status, completionRate: status === 'PARTIAL' ? 0 : 1 });
}

function isInExcusedWeek(life: Life, day: number): boolean {
  if (scheduleOf(life.habit).unit === 'day') return false;
  const lastDay = firstDayOfWeek(day, life.weekStart) + 6;
  return recordOf(life).occasions.some((week) => week.day === lastDay && week.verdict === 'excused');
}

describe('S17', () => {
  it('changes neither streak nor risk nor completion by an excused occasion at the end of a history', () => {
    let seen = 0;
    forEachOf(aLife({ min: 3, max: 30 }), (life) => {
      const ended = endedHistory(life);
      const next = nextOccasion(ended);
      const skipped = withLog({ ...ended, asOf: civilDate(next) }, next, { status: 'SKIPPED' });
      if (recordOf(skipped).occasions.at(-1)?.verdict !== 'excused') return true;
      seen++;
      return numbers(skipped) === numbers(ended);
    });
    expect(seen).toBeGreaterThan(sized(120, 5_000));
  });

  it('changes nothing by an excused occasion against the same day while it is open', () => {
    let seen = 0;
    forEachOf(aLife({ min: 3, max: 30 }), (life) => {
      const open = openHistory(life);
      const skipped = withLog(open, dayNumber(open.asOf), { status: 'SKIPPED' });
      if (recordOf(skipped).occasions.at(-1)?.verdict !== 'excused') return true;
      seen++;
      return numbersPrinted(skipped) === numbersPrinted(open);
    });
    expect(seen).toBeGreaterThan(sized(120, 5_000));
  });

  it('decides for good whether a day or an ended week is excused', () => {
    forEachOf(fc.tuple(aLife({ min: 20, max: 120 }), fc.nat(40)), ([life, back]) => {
      const earlier = { ...life, asOf: civilDate(dayNumber(life.asOf) - back) };
      const isEnded = (day: number) => day <= dayNumber(earlier.asOf);
      // A day without a log is pending on that day alone.
      const decisions = (at: Life) =>
        occasionsAt(at)
          .filter(({ day }) => isEnded(day))
          .map(({ day, verdict }) => `${day} ${verdict === 'excused'}`);
      return decisions(earlier).join() === decisions(life).join();
    });
  });
});

/** All that doing and skipping decide. */
function numbers(life: Life): string {
  const { completion, strength } = recordOf(life);
  return JSON.stringify([scored(life), completion.rate, completion.occasions, strength]);
}

/** Rounded: weeks that fade together leave their mean as it is, up to the last bit. */
function numbersPrinted(life: Life): string {
  const { risk, ...printed } = scored(life);
  const { completion, strength } = recordOf(life);
  return JSON.stringify([printed, Math.round(risk * 1e9), completion.rate, completion.occasions, strength]);
}

/** The history up to the morning of the occasion after it: the next scheduled day, or the first day of the next week. */
function openHistory(life: Life): Life {
  const isDayType = scheduleOf(life.habit).unit === 'day';
  const next = isDayType ? nextOccasion(life) : firstDayOfWeek(dayNumber(life.asOf), life.weekStart) + 7;
  const before = withoutLogs(life, ({ localDate }) => dayNumber(localDate) >= next);
  return { ...before, asOf: civilDate(next) };
}

/** The history up to an evaluation day on which nothing is pending: today has a log, and its week has ended. */
function endedHistory(life: Life): Life {
  const lastOfWeek = firstDayOfWeek(dayNumber(life.asOf), life.weekStart) - 1;
  const today = scheduleOf(life.habit).unit === 'day' ? dayNumber(life.asOf) : lastOfWeek;
  const before = withoutLogs(life, ({ localDate }) => dayNumber(localDate) > today);
  const ended = { ...before, asOf: civilDate(today) };
  if (scheduleOf(life.habit).unit === 'day') return withLog(ended, today, { status: 'PARTIAL' });
  // Two sessions on each day meet the last week, whatever came before.
  let met: Life = ended;
  for (let day = today - 6; day <= today; day++) {
    met = withLog(withLog(met, day, { status: 'COMPLETED' }), day, { status: 'COMPLETED' });
  }
  return met;
}

function nextOccasion(life: Life): number {
  let day = dayNumber(life.asOf) + 1;
  while (!isDue(scheduleOf(life.habit), day)) day++;
  return day;
}

function withoutLogs(life: Life, isLeftOut: (log: HabitLog) => boolean): Life {
  return { ...life, habit: { ...life.habit, logs: life.habit.logs.filter((log) => !isLeftOut(log)) } };
}

function withLog(life: Life, day: number, log: Omit<HabitLog, 'localDate'>): Life {
  return { ...life, habit: { ...life.habit, logs: [...life.habit.logs, { localDate: civilDate(day), ...log }] } };
}
