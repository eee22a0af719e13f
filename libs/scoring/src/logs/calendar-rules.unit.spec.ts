import fc from 'fast-check';
import { logsOf } from '../examples/calendar.fixture';
import { analyzeLogs, type HabitHistory, type HabitMetrics, type WeekStart } from '../index';
import { civilDate, dayNumber, firstDayOfWeek, weekdayOf } from './civil-days';
import { scheduleOf } from './day-book';

/** 2026-01-05 is a Monday. */
const MONDAY = '2026-01-05';

interface Case extends Partial<HabitHistory> {
  readonly weekStart?: WeekStart;
  readonly windowDays?: number;
  /** Evaluation day; the last letter of the calendar when absent. */
  readonly asOf?: string;
}

/** Metrics of a calendar that begins on that Monday, one letter a day. */
function metricsOf(letters: string, { weekStart, windowDays, asOf, ...habit }: Case = {}): HabitMetrics {
  const last = civilDate(dayNumber(MONDAY) + letters.replaceAll(' ', '').length - 1);
  const history = { name: 'a', startDate: MONDAY, logs: logsOf(letters, MONDAY), ...habit };
  return analyzeLogs({ habits: [history], asOf: asOf ?? last, weekStart, windowDays }).habits[0]!.metrics;
}

describe('days', () => {
  it('waits for today while it has no log', () => {
    expect(metricsOf('ddd.')).toMatchObject({ occasions: 3, current_streak: 3, completion_rate: 1 });
    expect(metricsOf('ddd..')).toMatchObject({
      occasions: 4,
      current_streak: 0,
      best_streak: 3,
      completion_rate: 0.75,
    });
  });

  it('keeps a day from half of its completion on, up to an error of rounding', () => {
    const rate = (completionRate: number) => ({
      logs: [{ localDate: MONDAY, status: 'PARTIAL' as const, completionRate }],
    });
    expect(metricsOf('.', rate(0.5 - 9e-10))).toMatchObject({ current_streak: 1 });
    expect(metricsOf('.', rate(0.5 - 2e-9))).toMatchObject({ current_streak: 0 });
    expect(metricsOf('p')).toMatchObject({ current_streak: 1, completion_rate: 0.5 });
    expect(metricsOf('.', rate(0.49))).toMatchObject({ current_streak: 0, completion_rate: 0.49, occasions: 1 });
  });

  it('takes the highest completion of a day', () => {
    const logs = ['PARTIAL' as const, 'COMPLETED' as const, 'PARTIAL' as const].map((status) => ({
      localDate: MONDAY,
      status,
    }));
    expect(metricsOf('.', { logs })).toMatchObject({ completion_rate: 1, occasions: 1 });
  });

  it('looks at set weekdays only: work and skips on others mean nothing', () => {
    const mondayWednesdayFriday = { targetDaysMask: 21 };
    expect(metricsOf('dddds.. d', mondayWednesdayFriday)).toMatchObject({
      occasions: 3,
      excused: 1,
      current_streak: 3,
      completion_rate: 1,
      streak_unit: 'day',
    });
    expect(metricsOf('.d.d.dd', mondayWednesdayFriday)).toMatchObject({ completion_rate: 0, occasions: 3 });
    expect(metricsOf('dsdsds', mondayWednesdayFriday)).toMatchObject({ completion_rate: 1, excused: 0 });
  });

  it('begins at the start date, and ignores what is before it or after the evaluation day', () => {
    expect(metricsOf('dddddd', { startDate: '2026-01-08' })).toMatchObject({ occasions: 3, best_streak: 3 });
    expect(metricsOf('ddmmddd', { asOf: '2026-01-08' })).toMatchObject({ occasions: 3, best_streak: 2 });
  });

  it('begins at the earliest log where no start was given, at latest on the creation day', () => {
    const none = { startDate: undefined };
    expect(metricsOf('..d.d.', none)).toMatchObject({ occasions: 3, excused: 0, completion_rate: 0.6667 });
    expect(metricsOf('..s.d.', none)).toMatchObject({ occasions: 2, excused: 1 });
    expect(metricsOf('..d.d.', { startDate: null, createdOn: '2026-01-09' })).toMatchObject({ occasions: 3 });
    expect(metricsOf('..d.d.', { ...none, createdOn: '2026-01-06' })).toMatchObject({ occasions: 4 });
    expect(metricsOf('......', { ...none, createdOn: '2026-01-08' })).toMatchObject({ occasions: 2, evidence: 'logs' });
    expect(metricsOf('......', none)).toMatchObject({ occasions: 0, evidence: 'none' });
    // A log after the evaluation day is none.
    expect(metricsOf('....dd', { ...none, createdOn: '2026-01-12', asOf: '2026-01-08' })).toMatchObject({
      evidence: 'none',
    });
  });

  it('earns and excuses nothing before the start, and reads the scores of that time', () => {
    const logs = logsOf('ssd', MONDAY).map((log, i) => ({ ...log, moodScore: 2 + i }));
    const metrics = metricsOf('', { logs, startDate: '2026-01-08', asOf: '2026-01-09' });
    expect(metrics).toMatchObject({ occasions: 1, excused: 0, completion_rate: 0, average_mood: 3 });
  });

  it('knows nothing before the start', () => {
    expect(metricsOf('ddd', { startDate: '2026-02-01' })).toMatchObject({
      evidence: 'none',
      occasions: 0,
      skip_budget_remaining: 1,
      strength: 0,
      best_weekday: null,
    });
  });

  it('sees a window for completion, and all days for streaks', () => {
    expect(metricsOf('dddddmm ddmm', { windowDays: 7 })).toMatchObject({
      occasions: 6,
      completion_rate: 0.5,
      best_streak: 5,
      previous_period: { completion_rate: 1, delta: -0.5 },
    });
    expect(metricsOf('ddd', { windowDays: 7 }).previous_period).toBeNull();
  });
});

describe('weeks', () => {
  it('adds sessions of one day only for targets above 7', () => {
    const twice = [...logsOf('dddd', MONDAY), ...logsOf('dddd', MONDAY)];
    expect(metricsOf('.......', { targetPerWeek: 8, logs: twice })).toMatchObject({ current_streak: 1, occasions: 1 });
    expect(metricsOf('.......', { targetPerWeek: 6, logs: twice })).toMatchObject({ current_streak: 0, occasions: 0 });
    // At most two a day for 8 to 14: three sessions on each of three days are six.
    const thrice = [1, 2, 3].flatMap(() => logsOf('ddd', MONDAY));
    expect(metricsOf('....... .', { targetPerWeek: 8, logs: thrice })).toMatchObject({ completion_rate: 0.75 });
  });

  it('adds tenths without losing the last bit', () => {
    const logs = [0.7, 0.2, 0.1].map((completionRate, i) => ({
      localDate: civilDate(dayNumber(MONDAY) + i),
      status: 'PARTIAL' as const,
      completionRate,
    }));
    expect(0.7 + 0.2 + 0.1).toBeLessThan(1);
    expect(metricsOf('...', { cadence: 'WEEKLY', logs })).toMatchObject({ current_streak: 1 });
  });
});

describe('repetitions', () => {
  it('takes logs that differ only in null and absent members for one', () => {
    const log = { localDate: MONDAY, status: 'COMPLETED' as const, moodScore: 4 };
    const other = { ...log, moodScore: 9 };
    expect(metricsOf('.', { logs: [log, { ...log, stressScore: null }, other] }).average_mood).toBe(6.5);
  });
});

describe('risk', () => {
  it('leaves an excused week out with all its days', () => {
    const twoTimes = { targetPerWeek: 2 };
    const before = metricsOf('dd..... dd..... .', twoTimes);
    expect(metricsOf('dd..... dd..... s..', twoTimes).lapse_risk).toBe(before.lapse_risk);
    expect(metricsOf('dd..... dd..... ...', twoTimes).lapse_risk).toBeGreaterThan(before.lapse_risk!);
  });

  it('names how long ago the last completion was', () => {
    expect(metricsOf('ddddddd mmm').drivers).toEqual(['low_completion', 'days_since_last']);
    expect(metricsOf('d')).toMatchObject({ lapse_risk: 0.0588, drivers: [] });
  });
});

describe('scheduleOf', () => {
  it.each([
    [{}, 'day', 7],
    [{ cadence: 'DAILY' as const }, 'day', 7],
    [{ cadence: 'CUSTOM' as const }, 'day', 7],
    [{ cadence: 'WEEKLY' as const }, 'week', 1],
    [{ cadence: 'WEEKLY' as const, targetPerWeek: 7, targetDaysMask: 0 }, 'day', 7],
    [{ targetPerWeek: 3 }, 'week', 3],
    [{ targetPerWeek: 14 }, 'week', 14],
    [{ cadence: 'WEEKLY' as const, targetPerWeek: 3, targetDaysMask: 21 }, 'day', 3],
    [{ targetPerWeek: 12, targetDaysMask: 127 }, 'day', 7],
    [{ targetPerWeek: null, targetDaysMask: null, cadence: null }, 'day', 7],
  ])('%j', (habit, unit, target) => {
    expect(scheduleOf(habit)).toMatchObject({ unit, target });
  });
});

describe('the calendar', () => {
  const aDay = fc.integer({ min: dayNumber('0000-01-01'), max: dayNumber('9999-12-31') });

  describe('civil days', () => {
    it('counts as the calendar of the machine does', () => {
      fc.assert(
        fc.property(aDay, (day) => {
          const date = new Date(day * 86_400_000);
          expect(civilDate(day)).toBe(date.toISOString().slice(0, 10));
          expect(dayNumber(civilDate(day))).toBe(day);
          expect(weekdayOf(day)).toBe((date.getUTCDay() + 6) % 7);
        }),
        { numRuns: 2_000 },
      );
    });

    it.each(['2026-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '26-04-30', '2026/04/30', '', '2026-04-3x'])(
      'refuses %j',
      (date) => expect(() => dayNumber(date)).toThrow(RangeError),
    );
  });

  describe('weeks', () => {
    it.each([
      ['MONDAY', '2026-01-26'],
      ['SUNDAY', '2026-01-25'],
      ['SATURDAY', '2026-01-31'],
    ] as const)('that start on %s', (weekStart, first) => {
      expect(civilDate(firstDayOfWeek(dayNumber('2026-01-31'), weekStart))).toBe(first);
      expect(firstDayOfWeek(dayNumber(first), weekStart)).toBe(dayNumber(first));
      expect(firstDayOfWeek(dayNumber(first) + 6, weekStart)).toBe(dayNumber(first));
    });
  });
});

describe('best and worst weekday', () => {
  /** 2026-01-05 is a Monday. */
  const MONDAY = '2026-01-05';

  type Case = Partial<HabitHistory> & { readonly windowDays?: number };

  function weekdaysOf(letters: string, { windowDays, ...habit }: Case = {}) {
    const asOf = civilDate(dayNumber(MONDAY) + letters.replaceAll(' ', '').length - 1);
    const history = { name: 'a', startDate: MONDAY, logs: logsOf(letters, MONDAY), ...habit };
    const { best_weekday, worst_weekday } = analyzeLogs({ habits: [history], asOf, windowDays }).habits[0]!.metrics;
    return [best_weekday, worst_weekday];
  }

  it('needs four of the weekday and twelve others', () => {
    expect(weekdaysOf('d...... '.repeat(4))[0]).toEqual({ weekday: 1, completion_rate: 1, n: 4 });
    expect(weekdaysOf('d...... '.repeat(3))).toEqual([null, null]);
    const twoWeekdays = { targetDaysMask: 0b11 };
    expect(weekdaysOf('d...... '.repeat(11), twoWeekdays)).toEqual([null, null]);
    expect(weekdaysOf('d...... '.repeat(12), twoWeekdays)).toEqual([
      { weekday: 1, completion_rate: 1, n: 12 },
      { weekday: 2, completion_rate: 0, n: 12 },
    ]);
  });

  it('names no best weekday on which less than half is done', () => {
    const logs = Array.from({ length: 13 }, (_, week) => ({
      localDate: civilDate(dayNumber(MONDAY) + 7 * week),
      status: 'PARTIAL' as const,
      completionRate: 0.4,
    }));
    expect(weekdaysOf('....... '.repeat(13), { logs })).toEqual([null, null]);
  });

  it('knows a tie where floating point sees none', () => {
    // Mondays 0.9 once and Tuesdays 0.3 three times: 0.3 + 0.3 + 0.3 is 0.8999999999999999.
    const earned = (days: readonly number[], completionRate: number) =>
      days.map((day) => ({
        localDate: civilDate(dayNumber(MONDAY) + day),
        status: 'PARTIAL' as const,
        completionRate,
      }));
    const weeks = Array.from({ length: 5 }, (_, week) => 7 * week);
    const others = weeks.flatMap((week) =>
      earned(
        [2, 3, 4, 5, 6].map((day) => week + day),
        1,
      ),
    );
    const logs = [...earned([0], 0.9), ...earned([1, 8, 15], 0.3), ...others];
    expect(weekdaysOf('....... '.repeat(5), { logs })[1]).toEqual({ weekday: 1, completion_rate: 0.18, n: 5 });
  });
});
