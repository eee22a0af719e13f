import { readFileSync } from 'node:fs';
import type { Operation } from '@evenkeel/contracts';
import { ENGINE_VERSION } from '@evenkeel/scoring';

interface WorkedExample {
  request: object;
  result: object;
}

/** By the operation that sells its answers. */
const FUNCTIONS: Readonly<Record<Operation, string>> = {
  analyze: 'analyzeHabits',
  plan: 'planHabits',
  insights: 'insightsForHabits',
  recommend: 'recommendForHabits',
  reliability: 'analyzeReliability',
};

/** The published example among the golden vectors; the order of members matters. */
export function workedExample(operation: Operation): WorkedExample {
  const file = require.resolve(`@evenkeel/scoring/vectors/${ENGINE_VERSION}/${FUNCTIONS[operation]}.json`);
  const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as {
    vectors: { name: string; input: object; output: object }[];
  };
  const { input, output } = vectors.find(({ name }) => name === 'published example')!;
  return { request: input, result: output };
}
