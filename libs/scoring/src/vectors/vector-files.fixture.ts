import {
  analyzeHabits,
  analyzeLogs,
  analyzeReliability,
  insightsForHabits,
  planFromLogs,
  planHabits,
  recommendForHabits,
} from '../index';

export interface VectorFile {
  engine_version: string;
  function: string;
  vectors: { name: string; input: unknown; output: unknown }[];
}

/** Functions by the names of their files, for running the vectors again. */
export const FUNCTIONS: Readonly<Record<string, (input: never) => unknown>> = {
  analyzeHabits,
  insightsForHabits,
  recommendForHabits,
  planHabits,
  analyzeReliability,
  analyzeLogs,
  planFromLogs,
};

/** One vector a line, so that a change shows which ones it touches. */
export function printed({ engine_version, function: name, vectors }: VectorFile): string {
  const head = `"engine_version": ${JSON.stringify(engine_version)},\n"function": ${JSON.stringify(name)},`;
  return `{\n${head}\n"vectors": [\n${vectors.map((vector) => JSON.stringify(vector)).join(',\n')}\n]}\n`;
}
