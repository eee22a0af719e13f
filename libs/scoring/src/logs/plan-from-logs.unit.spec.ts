import { logsOf } from '../examples/calendar.fixture';
import { type HabitHistory, planFromLogs } from '../index';

const first = '2026-01-05';
/** A Sunday: the plan begins on Monday, 2026-01-12. */
const asOf = '2026-01-11';
const planOf = (habit: Partial<HabitHistory>, letters: string, horizonDays = 14, evaluationDay = asOf) => {
  const history = { name: 'a', startDate: first, logs: logsOf(letters, first), ...habit };
  return planFromLogs({ habits: [history], asOf: evaluationDay, horizonDays }).plan[0]!;
};

describe('planFromLogs', () => {
  it('places the sessions of fixed days on the first of them', () => {
    const { weeks } = planOf({ targetDaysMask: 21 }, 'd.m.d..', 7);
    expect(weeks[0]).toMatchObject({ target_sessions: 2, dates: ['2026-01-12', '2026-01-14'] });
  });

  it('lets a streak mark fall on a scheduled day', () => {
    // Two kept: the third comes on Monday, the seventh on Wednesday of the second week.
    const { milestones } = planOf({ targetDaysMask: 21 }, 'm.d.d..', 14);
    expect(milestones.map(({ day, code, mark }) => [day, code, mark])).toEqual([
      [1, 'streak', 3],
      [7, 'day', 7],
      [10, 'streak', 7],
      [14, 'day', 14],
    ]);
  });

  it('lets the streak mark of a week-type habit fall on the end of a week', () => {
    const { milestones } = planOf({ targetPerWeek: 2 }, 'dd.....', 28);
    expect(milestones.filter(({ code }) => code === 'streak').map(({ day, mark }) => [day, mark])).toEqual([[14, 3]]);
  });

  it('places two sessions on a day only for targets above 7', () => {
    const twice = [...logsOf('ddddddd', first), ...logsOf('ddd....', first)];
    const { weeks } = planOf({ targetPerWeek: 10, logs: twice }, '', 9);
    expect(weeks[0]!.target_sessions).toBe(10);
    expect(weeks[0]!.dates).toEqual([
      ...['2026-01-12', '2026-01-12', '2026-01-13', '2026-01-13', '2026-01-14', '2026-01-14'],
      ...['2026-01-15', '2026-01-16', '2026-01-17', '2026-01-18'],
    ]);
    expect(weeks[1]).toMatchObject({ days: 2, target_sessions: 3, end_date: '2026-01-20' });
    expect(weeks[1]!.dates).toEqual(['2026-01-19', '2026-01-19', '2026-01-20']);
  });

  it('places nothing where a short week has no scheduled day', () => {
    const { weeks } = planOf({ targetDaysMask: 64 }, '......d', 9);
    expect(weeks[1]).toMatchObject({ days: 2, target_sessions: 1, dates: [] });
  });

  it('plans in sessions of the target', () => {
    const { weeks } = planOf({ targetPerWeek: 4 }, 'dddd... d......', 35, '2026-01-19');
    expect(weeks.map(({ target_sessions }) => target_sessions)).toEqual([3, 3, 3, 3, 3]);
    expect(planOf({}, 'ddddddd').weeks[0]!.target_sessions).toBe(7);
  });
});
