import { bestStreak, cappedCount, meanScore } from '../numbers';
import { byOrderRule } from '../order-rule';
import { TEXTS } from '../texts';
import { scoreTask } from './score-task';
import {
  type ReliabilityRequest,
  type SeverityLevel,
  type TaskAssessment,
  taskJson,
  type TaskSummary,
} from './task-summary';

export interface ReliabilityAnalysis {
  system: string | null;
  summary: TasksSummary;
  /** Input order. */
  assessments: TaskAssessment[];
  watchouts: string[];
  recommendations: TaskRecommendation[];
  method: string;
}

/**
 * Scores every task, sums them up and ranks what to do.
 * @param request 1 to 25 tasks
 * @returns members in the order of the interface; lists by the order rule
 */
export function analyzeReliability(request: ReliabilityRequest): ReliabilityAnalysis {
  const assessments = request.tasks.map(scoreTask);
  const places = assessments.map(({ priority, task, index }) => ({ priority, name: task, index }));
  const inOrder = byOrderRule(places, ({ index }) => taskJson(request.tasks[index]!)).map(
    ({ index }) => assessments[index]!,
  );
  return {
    system: request.system ?? null,
    summary: summarizeTasks(inOrder),
    assessments,
    watchouts: inOrder.flatMap(taskWatchouts),
    recommendations: inOrder.map((task) => taskRecommendation(task, request.tasks[task.index]!)),
    method: TEXTS.reliabilityMethod,
  };
}

export interface TasksSummary {
  task_count: number;
  mean_success_rate: number;
  mean_failure_risk: number;
  mean_severity: number;
  levels: Record<SeverityLevel, number>;
  /** The highest. */
  overall_level: SeverityLevel;
  tasks_over_budget: number;
  breaches_confirmed: number;
  provisional_tasks: number;
  critical_tasks: number;
  worst: { task: string; severity: number; severity_level: SeverityLevel; burn_rate: number };
}

/** @param tasks by the order rule, at least one */
function summarizeTasks(tasks: readonly TaskAssessment[]): TasksSummary {
  const levels = { low: 0, medium: 0, high: 0 };
  let worst = tasks[0]!;
  for (const task of tasks) {
    levels[task.severity_level]++;
    if (task.severity > worst.severity) worst = task;
  }
  const { task, severity, severity_level, burn_rate } = worst;
  return {
    task_count: tasks.length,
    mean_success_rate: meanScore(tasks.map(({ success_rate }) => success_rate)),
    mean_failure_risk: meanScore(tasks.map(({ failure_risk }) => failure_risk)),
    mean_severity: meanScore(tasks.map((one) => one.severity)),
    levels,
    overall_level: severity_level,
    tasks_over_budget: tasks.filter((one) => one.burn_rate > 1).length,
    breaches_confirmed: tasks.filter((one) => one.breach_confirmed).length,
    provisional_tasks: tasks.filter((one) => one.provisional).length,
    critical_tasks: tasks.filter((one) => one.critical).length,
    worst: { task, severity, severity_level, burn_rate },
  };
}

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

/** Reasons for attention, all that hold, in the order of the text table. */
function taskWatchouts(task: TaskAssessment): string[] {
  const watchouts: string[] = [];
  if (task.severity_level === 'high') watchouts.push(TEXTS.taskWatchouts.high_severity(task));
  if (task.breach_confirmed) watchouts.push(TEXTS.taskWatchouts.breach_confirmed(task));
  if (task.latency_signal === 'degrading') watchouts.push(TEXTS.taskWatchouts.rising_latency());
  if (task.provisional) watchouts.push(TEXTS.taskWatchouts.few_runs(task));
  return watchouts.map((text) => `${task.task}: ${text}`);
}

function taskRecommendation(task: TaskAssessment, summary: TaskSummary): TaskRecommendation {
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
