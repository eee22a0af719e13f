import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_VERSION, planHabits, scoreHabit, scoreTask, type TaskSummary } from '../index';

describe('worked examples of habit scores', () => {
  const first = { name: 'a', completion_rate: 0.75, current_streak: 5, best_streak: 21 };
  const lowAndFalling = { average_mood: 3.5, mood_correlation: 0.6, energy_trend: 'falling' as const };

  it.each([
    [first, [0.2045, 'low', 0.7955, 0.5556, 0.7111, 0.2412]],
    [{ ...first, ...lowAndFalling }, [0.221, 'low', 0.7955, 0.5556, 0.7111, 0.2561]],
    [{ ...first, risk_score: 0.7 }, [0.3036, 'moderate', 0.7955, 0.5556, 0.7111, 0.3304]],
    [{ ...first, completion_rate: 0.4, current_streak: 0, best_streak: 6 }, [0.7143, 'high', 0.2857, 0, 0.3323, 0.689]],
    [
      { ...first, completion_rate: 0.97, current_streak: 0, best_streak: 41 },
      [0.3071, 'moderate', 0.6929, 0, 0.7528, 0.3618],
    ],
    [
      { ...first, completion_rate: 0.95, current_streak: 20, best_streak: 20 },
      [0.0481, 'low', 0.9519, 0.8333, 0.8848, 0.0433],
    ],
    [
      { ...first, completion_rate: 0.2, current_streak: 8, best_streak: 3 },
      [0.3571, 'moderate', 0.6429, 0.6667, 0.36, 0.3214],
    ],
  ])('%j', (summary, expected) => {
    const { lapseRisk, band, expectedAdherence, momentum, consistency, priority } = scoreHabit(summary);
    expect([lapseRisk, band, expectedAdherence, momentum, consistency, priority]).toEqual(expected);
  });
});

describe('worked examples of task scores', () => {
  const hourly: TaskSummary = {
    name: 'a',
    success_rate: 0.9,
    current_streak: 0,
    best_streak: 15,
    runs: 50,
    cadence: 'hourly',
  };
  const degrading = { critical: true, latency_trend: 'rising' as const, p95_latency_ms: 1800 };

  it.each<[TaskSummary, number[]]>([
    [
      { name: 'a', success_rate: 0.97, current_streak: 12, best_streak: 40, runs: 100, cadence: 'daily' },
      [0.9673, 0.9394, 0.0646, 0.2338, 3, 0.2259, 0.1614, 0],
    ],
    [
      { name: 'a', success_rate: 1, current_streak: 4, best_streak: 4, runs: 4 },
      [0.95, 0.7089, 0.125, 0.3568, 0, 0.05, 0.08, 3],
    ],
    [hourly, [0.9, 0.8323, 0.3571, 0.943, 20, 0.6044, 0.5055, 2]],
    [{ ...hourly, ...degrading }, [0.9, 0.8323, 0.3965, 0.9465, 20, 0.8086, 0.6438, 2]],
    [
      { name: 'a', success_rate: 0.999, current_streak: 700, best_streak: 2500, cadence: 'continuous' },
      [0.9988, 0.9978, 0.0014, 0.0141, 1, 0.0863, 0.0523, 0],
    ],
    [
      { name: 'a', success_rate: 0.6, current_streak: 1, best_streak: 2, runs: 5, risk_score: 0.9 },
      [0.7333, 0.3304, 0.475, 0.9183, 40, 0.4509, 0.4605, 0],
    ],
  ])('%j', (summary, expected) => {
    const task = scoreTask(summary);
    expect([
      task.success_estimate,
      task.success_lower_bound,
      task.failure_risk,
      task.failure_risk_horizon,
      task.burn_rate,
      task.severity,
      task.priority,
      task.runs_to_recover,
    ]).toEqual(expected);
  });

  it('recovers after a whole number of runs, where floating point sees a little more', () => {
    // p = 14/15, so 2 (1 - p) = 2/15 and 1 + 5 (1 - p) = 20/15: ten runs less the six of the formula.
    const task: TaskSummary = { name: 'a', success_rate: 16 / 17, current_streak: 0, best_streak: 16, runs: 17 };
    expect(scoreTask(task).runs_to_recover).toBe(4);
  });

  it.each<[Partial<TaskSummary>, [number, number] | null, boolean, boolean]>([
    [{ success_rate: 0.97, runs: 100, cadence: 'daily' }, [0.9155, 0.9897], true, false],
    [{ success_rate: 1, runs: 4 }, [0.5101, 1], false, true],
    [{ success_rate: 0.9, runs: 50, cadence: 'hourly' }, [0.7864, 0.9565], true, false],
    [{ success_rate: 0.6, runs: 5 }, [0.2307, 0.8824], false, true],
    [{ success_rate: 0.5 }, null, false, false],
    [{ success_rate: 0.5, runs: 0 }, null, false, true],
  ])('interval of %j', (summary, interval, confirmed, provisional) => {
    const task = scoreTask({ name: 'a', success_rate: 1, current_streak: 1, best_streak: 2, ...summary });
    const { success_interval } = task;
    expect(success_interval && [success_interval.low, success_interval.high]).toEqual(interval);
    expect([task.breach_confirmed, task.provisional]).toEqual([confirmed, provisional]);
  });
});

describe('worked examples of plans', () => {
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
});

describe('the page', () => {
  const DOCS = join(__dirname, '../../../../docs');
  const text = readFileSync(join(DOCS, 'scoring.md'), 'utf8');
  const links = [...text.matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)].map(([, name, target]) => [name!, target!] as const);

  describe('docs/scoring.md', () => {
    it.each(links)('%s leads to %s', (_, target) => {
      expect(existsSync(join(DOCS, target))).toBe(true);
    });

    it.each(Array.from({ length: 17 }, (_, i) => `S${i + 1}`))('%s leads to its test', (property) => {
      const [, target] = links.find(([name]) => name === property)!;
      expect(readFileSync(join(DOCS, target), 'utf8')).toContain(`describe('${property}', `);
    });

    it('is about the running version', () => {
      expect(text).toContain(`version ${ENGINE_VERSION}:`);
      expect(text).toContain(`- **${ENGINE_VERSION}.**`);
    });

    it('has headings for its table of parts', () => {
      const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => anchor(heading!));
      const parts = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, part]) => part);
      expect(parts).toEqual(headings);
    });
  });

  function anchor(heading: string): string {
    return heading.toLowerCase().replaceAll(/[.,]/g, '').replaceAll(' ', '-');
  }
});
