import { logsOf } from '../examples/calendar.fixture';
import { analyzeLogs, insightsFromLogs, planFromLogs, recommendFromLogs } from '../index';

const first = '2026-01-05';
const asOf = '2026-01-11';
const fresh = { name: 'fresh', startDate: asOf, logs: [] };
const skipped = { name: 'skipped', startDate: '2026-01-10', logs: logsOf('.....s', first) };
const running = { name: 'running', startDate: first, targetPerWeek: 3, logs: logsOf('dd', first) };
const kept = { name: 'kept', startDate: first, logs: logsOf('ddddddd', first) };

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

  it('is left out of means, bands and highest risk, and counted', () => {
    const answer = analyzeLogs({ habits: [fresh, kept, running], asOf });
    expect(answer.aggregate_summary).toMatchObject({
      habit_count: 3,
      left_out: 2,
      mean_adherence: 1,
      bands: { low: 1, moderate: 0, high: 0 },
      highest_risk: { habit: 'kept' },
    });
    expect(answer.highlights).toEqual(['kept: 7 days in a row, 100% completed.']);
    expect(answer.recommendations).toEqual([
      'kept: Add one session or a slightly harder version.',
      'fresh: Log the first occasion.',
      'running: Log the rest of this week.',
    ]);
  });

  it('has no means either when it is alone', () => {
    expect(analyzeLogs({ habits: [fresh, running], asOf }).aggregate_summary).toMatchObject({
      habit_count: 2,
      left_out: 2,
      mean_adherence: null,
      mean_lapse_risk: null,
      highest_risk: null,
    });
  });

  it('is planned with a risk of 0.5', () => {
    const plan = planFromLogs({ habits: [fresh], asOf }).plan[0]!;
    // q = 1 - 0.1099705256 * 0.75, so the first week reaches 1 - q of the target
    expect(plan).toMatchObject({ start_rate: 0, weeks: [{ target_rate: 0.0825, target_sessions: 1 }, {}, {}, {}, {}] });
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
