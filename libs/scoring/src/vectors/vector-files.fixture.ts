import {
  analyzeHabits,
  analyzeLogs,
  analyzeReliability,
  ENGINE_VERSION,
  insightsForHabits,
  planFromLogs,
  planHabits,
  recommendForHabits,
} from '../index';
import { historyRequests } from './history-inputs.fixture';
import { habitRequests, type Named, planRequests, reliabilityRequests } from './summary-inputs.fixture';

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

const INPUTS: Readonly<Record<string, Named<unknown>>> = {
  analyzeHabits: habitRequests,
  insightsForHabits: habitRequests,
  recommendForHabits: habitRequests,
  planHabits: planRequests,
  analyzeReliability: reliabilityRequests,
  analyzeLogs: historyRequests,
  planFromLogs: historyRequests,
};

export function vectorFile(name: string): VectorFile {
  const vectors = Object.entries(INPUTS[name]!).map(([vector, input]) => ({
    name: vector,
    input,
    output: FUNCTIONS[name]!(input as never),
  }));
  return { engine_version: ENGINE_VERSION, function: name, vectors };
}

/** One vector a line, so that a change shows which ones it touches. */
export function printed({ engine_version, function: name, vectors }: VectorFile): string {
  const head = `"engine_version": ${JSON.stringify(engine_version)},\n"function": ${JSON.stringify(name)},`;
  return `{\n${head}\n"vectors": [\n${vectors.map((vector) => JSON.stringify(vector)).join(',\n')}\n]}\n`;
}
