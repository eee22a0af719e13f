import { bestStreak, cappedCount } from '../numbers';
import { TEXTS } from '../texts';
import type { TaskAssessment } from './task-assessment';
import type { TaskSummary } from './task-summary';

export type TaskAction = 'fix_now' | 'investigate' | 'check_latency' | 'collect_runs' | 'watch_recovery' | 'observe';

/** The one next step for a task: the first rule that holds. No cause is named. */
function taskAction(task: TaskAssessment): TaskAction {
  if (task.severity_level === 'high') return 'fix_now';
  if (task.severity_level === 'medium') return 'investigate';
  if (task.latency_signal === 'degrading') return 'check_latency';
  if (task.provisional) return 'collect_runs';
  return task.runs_to_recover > 0 ? 'watch_recovery' : 'observe';
}

export interface TaskRecommendation {
  task: string;
  action: string;
  rationale: string;
  priority: number;
  index: number;
  code: TaskAction;
}

/** What needs attention, all that hold, in the order of the text table. */
export function taskWatchouts(task: TaskAssessment): string[] {
  const watchouts: string[] = [];
  if (task.severity_level === 'high') watchouts.push(TEXTS.taskWatchouts.high_severity(task));
  if (task.breach_confirmed) watchouts.push(TEXTS.taskWatchouts.breach_confirmed(task));
  if (task.latency_signal === 'degrading') watchouts.push(TEXTS.taskWatchouts.rising_latency());
  if (task.provisional) watchouts.push(TEXTS.taskWatchouts.few_runs(task));
  return watchouts.map((text) => `${task.task}: ${text}`);
}

export function taskRecommendation(task: TaskAssessment, summary: TaskSummary): TaskRecommendation {
  const code = taskAction(task);
  return {
    task: task.task,
    action: TEXTS.taskActions[code],
    rationale: rationale(task, summary),
    priority: task.priority,
    index: task.index,
    code,
  };
}

function rationale(task: TaskAssessment, summary: TaskSummary): string {
  const texts = TEXTS.taskRationale;
  const streak = cappedCount(summary.current_streak);
  let text = texts.task(task, streak, bestStreak(summary.best_streak, streak));
  if (task.latency_signal === 'degrading') text += texts.rising_latency;
  if (task.provisional) text += texts.few_runs(task);
  if (task.critical) text += texts.critical;
  return text;
}
