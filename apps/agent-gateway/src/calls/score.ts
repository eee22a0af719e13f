import type { Operation } from '@evenkeel/contracts';
import {
  analyzeHabits,
  analyzeReliability,
  insightsForHabits,
  planHabits,
  recommendForHabits,
} from '@evenkeel/scoring';

/** One scoring function per paid operation; the validator has checked the shape of the body before. */
const ENGINE: Readonly<Record<Operation, (body: never) => object>> = {
  analyze: analyzeHabits,
  plan: planHabits,
  insights: insightsForHabits,
  recommend: recommendForHabits,
  reliability: analyzeReliability,
};

export function score(operation: Operation, body: unknown): object {
  return ENGINE[operation](body as never);
}
