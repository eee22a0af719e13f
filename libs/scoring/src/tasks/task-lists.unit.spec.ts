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
