import { planHabits, scoreHabit } from '../index';
import { morningRun } from './published.fixture';

describe('worked examples of plans', () => {
  it('the published answer', () => {
    const rationale =
      'Weekly targets close part of the gap to the full target, more slowly where the lapse risk is high. A single miss does not reset progress.';
    const expected = {
      horizon_days: 21,
      plan: [
        {
          index: 0,
          habit: 'Morning run',
          start_rate: 0.82,
          goal_rate: 0.8702,
          weeks: [
            { week: 1, start_day: 1, days: 7, target_rate: 0.8386, target_sessions: 6 },
            { week: 2, start_day: 8, days: 7, target_rate: 0.8553, target_sessions: 6 },
            { week: 3, start_day: 15, days: 7, target_rate: 0.8702, target_sessions: 6 },
          ],
          milestones: [
            { day: 5, code: 'streak', mark: 14, text: 'Streak of 14 if nothing is missed.' },
            { day: 7, code: 'day', mark: 7, text: 'Day 7 of the plan.' },
            { day: 14, code: 'day', mark: 14, text: 'Day 14 of the plan.' },
            { day: 21, code: 'streak', mark: 30, text: 'Streak of 30 if nothing is missed.' },
          ],
        },
      ],
      rationale,
    };
    expect(JSON.stringify(planHabits({ habit: morningRun }), null, 1)).toBe(JSON.stringify(expected, null, 1));
  });

  it('half done, 35 days', () => {
    const habit = { name: 'a', completion_rate: 0.55, current_streak: 2, best_streak: 9 };
    expect(scoreHabit(habit).risk).toBe(0.40625);
    const { weeks } = planHabits({ habits: [habit] }).plan[0]!;
    expect(weeks.map(({ target_rate }) => target_rate)).toEqual([0.5894, 0.6254, 0.6582, 0.6882, 0.7155]);
    expect(weeks.map(({ target_sessions }) => target_sessions)).toEqual([4, 4, 5, 5, 5]);
  });

  it('mostly done, 30 days with a short last week', () => {
    const habit = { name: 'a', completion_rate: 0.88, current_streak: 14, best_streak: 30 };
    const { weeks, goal_rate } = planHabits({ habit, horizon_days: 30 }).plan[0]!;
    expect(weeks.map(({ target_rate }) => target_rate)).toEqual([0.8927, 0.904, 0.9141, 0.9232, 0.9313]);
    expect(weeks.map(({ days, target_sessions }) => [days, target_sessions])).toEqual([
      [7, 6],
      [7, 6],
      [7, 6],
      [7, 6],
      [2, 2],
    ]);
    expect(goal_rate).toBe(0.9313);
  });

  it('has every milestone in 180 days, the median day as a sentence, and each day in order of code', () => {
    const habit = { name: 'a', completion_rate: 0.5, current_streak: 0, best_streak: 0 };
    const { milestones } = planHabits({ habits: [habit], horizon_days: 180 }).plan[0]!;
    expect(milestones.map(({ day, code }) => `${day} ${code}`)).toEqual([
      '3 streak',
      '7 day',
      '7 streak',
      '14 day',
      '14 streak',
      '28 day',
      '30 streak',
      '66 day',
      '66 streak',
      '90 day',
      '100 streak',
      '180 day',
      '180 streak',
    ]);
    expect(milestones.find(({ day, code }) => day === 66 && code === 'day')!.text).toBe(
      'Day 66: the median time until a habit runs by itself.',
    );
  });

  it('uses 35 days for habits and 21 for a single habit unless told', () => {
    expect(planHabits({ habits: [morningRun] }).horizon_days).toBe(35);
    expect(planHabits({ habit: morningRun, horizon_days: 60 }).horizon_days).toBe(60);
  });
});
