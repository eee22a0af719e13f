import fc from 'fast-check';
import { logsOf } from './calendar.fixture';
import { analyzeLogs, type HabitHistory, type HabitLog, type HabitMetrics } from '../index';
import { civilDate, dayNumber, weekdayOf } from './civil-days';

/** 2026-01-05 is a Monday. */
const MONDAY = '2026-01-05';

/** Metrics of a calendar that begins on that Monday, one letter a day, on its last day where no other is given. */
function metricsOf(letters: string, habit: Partial<HabitHistory> = {}, on?: string): HabitMetrics {
  const asOf = on ?? civilDate(dayNumber(MONDAY) + letters.replaceAll(' ', '').length - 1);
  const history = { name: 'a', startDate: MONDAY, logs: logsOf(letters, MONDAY), ...habit };
  return analyzeLogs({ habits: [history], asOf }).habits[0]!.metrics;
}

/** @param day after that Monday */
function partOn(day: number, completionRate: number): HabitLog {
  return { localDate: civilDate(dayNumber(MONDAY) + day), status: 'PARTIAL', completionRate };
}

describe('a day or a week', () => {
  it('keeps a day from half of its completion on, up to an error of rounding', () => {
    const rate = (completionRate: number) => ({ logs: [partOn(0, completionRate)] });
    expect(metricsOf('.', rate(0.5 - 9e-10))).toMatchObject({ current_streak: 1 });
    expect(metricsOf('.', rate(0.5 - 2e-9))).toMatchObject({ current_streak: 0 });
    expect(metricsOf('p')).toMatchObject({ current_streak: 1, completion_rate: 0.5 });
    expect(metricsOf('.', rate(0.49))).toMatchObject({ current_streak: 0, completion_rate: 0.49, occasions: 1 });
  });

  it('earns and excuses nothing before the start, and reads the scores of that time', () => {
    const logs = logsOf('ssd', MONDAY).map((log, i) => ({ ...log, moodScore: 2 + i }));
    const metrics = metricsOf('', { logs, startDate: '2026-01-08' }, '2026-01-09');
    expect(metrics).toMatchObject({ occasions: 1, excused: 0, completion_rate: 0, average_mood: 3 });
  });

  it('adds tenths without losing the last bit', () => {
    const logs = [0.7, 0.2, 0.1].map((completionRate, day) => partOn(day, completionRate));
    expect(0.7 + 0.2 + 0.1).toBeLessThan(1);
    expect(metricsOf('...', { cadence: 'WEEKLY', logs })).toMatchObject({ current_streak: 1 });
  });

  it('takes logs that differ only in null and absent members for one', () => {
    const log = { localDate: MONDAY, status: 'COMPLETED' as const, moodScore: 4 };
    const other = { ...log, moodScore: 9 };
    expect(metricsOf('.', { logs: [log, { ...log, stressScore: null }, other] }).average_mood).toBe(6.5);
  });
});

describe('the calendar', () => {
  const aDay = fc.integer({ min: dayNumber('0000-01-01'), max: dayNumber('9999-12-31') });

  it('is that of the machine', () => {
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

  const NO_DAYS = ['2026-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '26-04-30', '2026/04/30', '', '2026-04-3x'];
  it.each(NO_DAYS)('has no %j', (date) => expect(() => dayNumber(date)).toThrow(RangeError));
});

it('the worst weekday knows a tie where floating point sees none', () => {
  // Mondays 0.9 once and Tuesdays 0.3 three times: 0.3 + 0.3 + 0.3 is 0.8999999999999999.
  const earned = (days: readonly number[], completionRate: number) => days.map((day) => partOn(day, completionRate));
  const weeks = Array.from({ length: 5 }, (_, week) => 7 * week);
  const others = weeks.flatMap((week) => [2, 3, 4, 5, 6].map((day) => week + day));
  const logs = [...earned([0], 0.9), ...earned([1, 8, 15], 0.3), ...earned(others, 1)];
  const { worst_weekday } = metricsOf('....... '.repeat(5), { logs });
  expect(worst_weekday).toEqual({ weekday: 1, completion_rate: 0.18, n: 5 });
});
