import type { TaskAssessment } from './task-assessment';

export type TaskAction = 'fix_now' | 'investigate' | 'check_latency' | 'collect_runs' | 'watch_recovery' | 'observe';

/** The one next step for a task: the first rule that holds. No cause is named. */
export function taskAction(task: TaskAssessment): TaskAction {
  if (task.severity_level === 'high') return 'fix_now';
  if (task.severity_level === 'medium') return 'investigate';
  if (task.latency_signal === 'degrading') return 'check_latency';
  if (task.provisional) return 'collect_runs';
  return task.runs_to_recover > 0 ? 'watch_recovery' : 'observe';
}
