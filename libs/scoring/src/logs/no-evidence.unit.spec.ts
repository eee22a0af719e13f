import { logsOf } from '../examples/calendar.fixture';
import { analyzeLogs, insightsFromLogs, recommendFromLogs } from '../index';

const first = '2026-01-05';
const asOf = '2026-01-11';
const fresh = { name: 'fresh', startDate: asOf, logs: [] };
const skipped = { name: 'skipped', startDate: '2026-01-10', logs: logsOf('.....s', first) };
const running = { name: 'running', startDate: first, targetPerWeek: 3, logs: logsOf('dd', first) };

describe('a habit without a counted occasion', () => {
  it.each([
    [fresh, 'Log the first occasion.'],
    [skipped, 'Log the first occasion.'],
    [running, 'Log the rest of this week.'],
  ])('$name: no risk, no band, the action start', (habit, action) => {
    const { metrics } = analyzeLogs({ habits: [habit], asOf }).habits[0]!;
    expect(metrics).toMatchObject({
      evidence: 'none',
      lapse_risk: null,
      band: null,
      expected_adherence: null,
      drivers: [],
      priority: 0,
      occasions: 0,
      completion_rate: 0,
    });
    expect(recommendFromLogs({ habits: [habit], asOf }).recommendations).toEqual([
      {
        habit: habit.name,
        action,
        rationale: 'No counted occasion yet.',
        priority: 0,
        index: 0,
        code: 'start',
      },
    ]);
    expect(insightsFromLogs({ habits: [habit], asOf })).toEqual([]);
  });
});

describe('no habits at all', () => {
  it('gives no means, as absent is not zero, and empty lists', () => {
    const { aggregate_summary, habits, highlights, watchouts, recommendations } = analyzeLogs({ habits: [], asOf });
    expect(aggregate_summary).toEqual({
      habit_count: 0,
      left_out: 0,
      horizon_days: 35,
      mean_adherence: null,
      mean_consistency: null,
      mean_momentum: null,
      mean_lapse_risk: null,
      bands: { low: 0, moderate: 0, high: 0 },
      highest_risk: null,
    });
    expect([habits, highlights, watchouts, recommendations]).toEqual([[], [], [], []]);
  });
});
