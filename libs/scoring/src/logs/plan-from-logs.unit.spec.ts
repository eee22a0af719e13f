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
    // Two of two kept: the third comes on Monday, the seventh on Wednesday of the second week.
    const { milestones } = planOf({ targetDaysMask: 21, startDate: '2026-01-07' }, '..d.d..', 14);
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

  it('promises no streak to which it does not lead: three times a week, held at two', () => {
    const held = { targetPerWeek: 3, logs: logsOf('d..d... '.repeat(13), '2025-10-13') };
    const streaksOf = (horizonDays: number) => {
      const { weeks, milestones } = planOf({ ...held, startDate: '2025-10-13' }, '', horizonDays);
      const full = weeks.find(({ target_sessions }) => target_sessions === 3)?.week;
      return { full, marks: milestones.filter(({ code }) => code === 'streak') };
    };
    expect(streaksOf(35)).toEqual({ full: undefined, marks: [] });
    // The first week of three is the 8th, and the third of them ends on day 70.
    expect(streaksOf(90)).toEqual({
      full: 8,
      marks: [{ day: 70, code: 'streak', mark: 3, text: 'Streak of 3 weeks if nothing is missed from week 8 on.' }],
    });
  });

  it('counts a streak from the first full week on, where the weeks before break it', () => {
    const { weeks, milestones } = planOf({}, 'dddddddddm'.repeat(9), 35, '2026-04-04');
    expect(weeks.map(({ target_sessions }) => target_sessions)).toEqual([6, 6, 7, 7, 7]);
    expect(milestones.filter(({ code }) => code === 'streak').map(({ day, text }) => [day, text])).toEqual([
      [17, 'Streak of 3 days if nothing is missed from week 3 on.'],
      [21, 'Streak of 7 days if nothing is missed from week 3 on.'],
      [28, 'Streak of 14 days if nothing is missed from week 3 on.'],
    ]);
  });

  it('lets no mark fall into the rest of a short last week', () => {
    // Three fixed days; of the two days of the last week, both due, the plan asks for one.
    const { weeks, milestones } = planOf({ targetDaysMask: 7, startDate: '2026-01-08' }, '', 16);
    expect(weeks[2]).toMatchObject({ days: 2, dates: ['2026-01-26'] });
    expect(milestones.filter(({ code }) => code === 'streak')).toEqual([]);
  });

  it('counts the days of a habit that starts in three weeks from its start', () => {
    const plan = planFromLogs({ habits: [{ name: 'a', startDate: '2026-02-02', logs: [] }], asOf, horizonDays: 14 });
    expect(plan).toMatchObject({ starts_on: '2026-01-12', ends_on: '2026-01-25' });
    expect(plan.plan[0]!.weeks.map(({ start_day, start_date, end_date }) => [start_day, start_date, end_date])).toEqual(
      [
        [1, '2026-02-02', '2026-02-08'],
        [8, '2026-02-09', '2026-02-15'],
      ],
    );
    expect(plan.plan[0]!.weeks[0]!.dates).toEqual(['2026-02-02']);
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
