import { analyzeReliability } from './analyze-reliability';
import type { TaskSummary } from './task-summary';

const aTask = (summary: Partial<TaskSummary>): TaskSummary => ({
  name: 'a',
  success_rate: 1,
  current_streak: 50,
  best_streak: 50,
  runs: 200,
  ...summary,
});
const analysisOf = (...tasks: Partial<TaskSummary>[]) => analyzeReliability({ tasks: tasks.map(aTask) });

describe('task action', () => {
  it.each<[string, Partial<TaskSummary>]>([
    ['fix_now', { success_rate: 0.7, current_streak: 0, latency_trend: 'rising' }],
    ['investigate', { success_rate: 0.96, current_streak: 1, latency_trend: 'rising' }],
    ['check_latency', { latency_trend: 'rising', runs: 5 }],
    ['collect_runs', { runs: 9, current_streak: 1 }],
    ['watch_recovery', { current_streak: 5 }],
    ['observe', {}],
  ])('%s for %j', (code, summary) => {
    expect(analysisOf(summary).recommendations[0]!.code).toBe(code);
  });
});

it('confirms a breach only from 10 runs on', () => {
  const broken = { success_rate: 0, current_streak: 0, cadence: 'continuous' as const };
  expect(analysisOf({ ...broken, runs: 9 }).watchouts).toEqual([
    'a: severity 0.86 (high), burn rate 1000.',
    'a: 9 runs, provisional.',
  ]);
  expect(analysisOf({ ...broken, runs: 10 }).watchouts).toEqual([
    'a: severity 0.92 (high), burn rate 1000.',
    'a: success rate below its target of 99.9% (95% interval ends at 27.75%).',
  ]);
});

describe('summary of tasks', () => {
  it('counts a budget used exactly as not over it', () => {
    const exactly = { success_rate: 0.99, cadence: 'daily' as const };
    const over = { success_rate: 0.9899, cadence: 'daily' as const };
    expect(analysisOf(exactly, over).summary.tasks_over_budget).toBe(1);
  });

  it('takes the highest level, and the worst task by severity', () => {
    const { summary } = analysisOf({}, { name: 'b', success_rate: 0.5, current_streak: 0 }, { name: 'c' });
    expect(summary).toMatchObject({ overall_level: 'high', levels: { low: 2, medium: 0, high: 1 } });
    expect(summary.worst).toMatchObject({ task: 'b', severity_level: 'high', burn_rate: 50 });
  });
});
