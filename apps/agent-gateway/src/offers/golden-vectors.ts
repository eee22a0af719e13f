import { readFileSync } from 'node:fs';
import { PAID_ENDPOINTS, type Operation } from '@evenkeel/contracts';
import { ENGINE_VERSION } from '@evenkeel/scoring';

/** One function of the engine: the paid operation that sells its answers, if one does. */
const FUNCTIONS: Readonly<Record<string, Operation | null>> = {
  analyzeHabits: 'analyze',
  insightsForHabits: 'insights',
  recommendForHabits: 'recommend',
  planHabits: 'plan',
  analyzeReliability: 'reliability',
  analyzeLogs: null,
  planFromLogs: null,
};

const COMPARISON =
  'Give each input to the function of this name; its answer, as JSON without blanks, must equal the output, byte for byte. ' +
  'The result of a paid call is the output without warnings and rebate_earned.';

interface VectorFile {
  engine_version: string;
  vectors: readonly { name: string; input: unknown; output: unknown }[];
}

/** `GET /agent/v1/vectors`: inputs and exact outputs of the engine that answers here, so that anybody can check it. */
export function goldenVectors() {
  return {
    engine_version: ENGINE_VERSION,
    comparison: COMPARISON,
    functions: Object.entries(FUNCTIONS).map(([name, operation]) => ({
      function: name,
      endpoint: PAID_ENDPOINTS.find((endpoint) => endpoint.operation === operation)?.path ?? null,
      vectors: vectorsOf(name),
    })),
  };
}

/** @throws Error for vectors of another version: they would prove nothing */
function vectorsOf(name: string): VectorFile['vectors'] {
  const file = require.resolve(`@evenkeel/scoring/vectors/${ENGINE_VERSION}/${name}.json`);
  const { engine_version: version, vectors } = JSON.parse(readFileSync(file, 'utf8')) as VectorFile;
  if (version !== ENGINE_VERSION) throw new Error(`${name}.json belongs to engine ${version}, not ${ENGINE_VERSION}`);
  return vectors;
}
