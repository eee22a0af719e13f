import { meanOfTenThousandths, tenThousandths } from '../numbers';
import { byOrderRule } from '../order-rule';
import { TEXTS } from '../texts';
import { scoreTask } from './score-task';
import type { SeverityLevel, TaskAssessment } from './task-assessment';
import { taskRecommendation, type TaskRecommendation, taskWatchouts } from './task-lists';
import { type ReliabilityRequest, taskJson } from './task-summary';

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
  let rate = 0;
  let risk = 0;
  let severity = 0;
  let worst = tasks[0]!;
  for (const task of tasks) {
    levels[task.severity_level]++;
    rate += tenThousandths(task.success_rate);
    risk += tenThousandths(task.failure_risk);
    severity += tenThousandths(task.severity);
    if (task.severity > worst.severity) worst = task;
  }
  return {
    task_count: tasks.length,
    mean_success_rate: meanOfTenThousandths(rate, tasks.length),
    mean_failure_risk: meanOfTenThousandths(risk, tasks.length),
    mean_severity: meanOfTenThousandths(severity, tasks.length),
    levels,
    overall_level: worst.severity_level,
    tasks_over_budget: tasks.filter((task) => task.burn_rate > 1).length,
    breaches_confirmed: tasks.filter((task) => task.breach_confirmed).length,
    provisional_tasks: tasks.filter((task) => task.provisional).length,
    critical_tasks: tasks.filter((task) => task.critical).length,
    worst: {
      task: worst.task,
      severity: worst.severity,
      severity_level: worst.severity_level,
      burn_rate: worst.burn_rate,
    },
  };
}
