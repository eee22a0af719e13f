import { byOrderRule } from '../ranking/order-rule';
import { TEXTS } from '../texts/texts';
import { scoreTask } from './score-task';
import { summarizeTasks, type TasksSummary } from './summarize-tasks';
import type { TaskAssessment } from './task-assessment';
import { taskRecommendation, taskWatchouts, type TaskRecommendation } from './task-lists';
import { taskJson, type ReliabilityRequest } from './task-summary';

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
