import { logsOf } from '../examples/calendar.fixture';
import { analyzeLogs, civilDate, dayNumber, type HabitHistory } from '../index';

/** 2026-01-05 is a Monday. */
const MONDAY = '2026-01-05';

type Case = Partial<HabitHistory> & { readonly windowDays?: number };

function weekdaysOf(letters: string, { windowDays, ...habit }: Case = {}) {
  const asOf = civilDate(dayNumber(MONDAY) + letters.replaceAll(' ', '').length - 1);
  const history = { name: 'a', startDate: MONDAY, logs: logsOf(letters, MONDAY), ...habit };
  const { best_weekday, worst_weekday } = analyzeLogs({ habits: [history], asOf, windowDays }).habits[0]!.metrics;
  return [best_weekday, worst_weekday];
}

describe('best and worst weekday', () => {
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
