import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_VERSION, type HistoriesRequest, type LogAnalysis } from '../index';
import { literalReading } from '../logs/literal-reading.fixture';
import { FUNCTIONS, printed, type VectorFile } from './vector-files.fixture';

const VECTORS = join(__dirname, '../../vectors');
const textOf = (name: string) => readFileSync(join(VECTORS, ENGINE_VERSION, `${name}.json`), 'utf8');
const read = (name: string) => JSON.parse(textOf(name)) as VectorFile;

describe('golden vectors', () => {
  it('exist for every function, and for nothing else', () => {
    const files = readdirSync(join(VECTORS, ENGINE_VERSION)).filter((file) => file.endsWith('.json'));
    expect(files.sort()).toEqual(
      Object.keys(FUNCTIONS)
        .map((name) => `${name}.json`)
        .sort(),
    );
  });

  describe.each(Object.keys(FUNCTIONS))('%s', (name) => {
    it('belongs to the running version', () => {
      expect(read(name)).toMatchObject({ engine_version: ENGINE_VERSION, function: name });
    });

    it.each(read(name).vectors.map((vector) => [vector.name, vector] as const))('%s', (_, { input, output }) => {
      expect(JSON.stringify(FUNCTIONS[name]!(input as never))).toBe(JSON.stringify(output));
    });

    it('has the bytes that the generator writes', () => {
      expect(textOf(name)).toBe(printed(read(name)));
    });
  });
});

describe('the golden vectors against a second reading of the rules', () => {
  const { vectors } = read('analyzeLogs');
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_, { input, output }) => {
    const { habits, asOf, windowDays = 90, weekStart = 'MONDAY' } = input as HistoriesRequest;
    const metrics = (output as LogAnalysis).habits.map((habit) => habit.metrics);
    expect(metrics).toHaveLength(habits.length);
    habits.forEach((habit, i) => {
      const literal = literalReading(habit, asOf, windowDays, weekStart);
      const { evidence, occasions, excused, current_streak, best_streak, skip_budget_remaining } = metrics[i]!;
      expect({ evidence, occasions, excused, current_streak, best_streak, skip_budget_remaining }).toEqual({
        evidence: literal.evidence,
        occasions: literal.occasions,
        excused: literal.excused,
        current_streak: literal.current_streak,
        best_streak: literal.best_streak,
        skip_budget_remaining: literal.skip_budget_remaining,
      });
      // The digits as they are printed: none of these is within an error of rounding of a half.
      expect(metrics[i]).toMatchObject({
        completion_rate: fourDecimals(literal.completion_rate),
        strength: fourDecimals(literal.strength),
        lapse_risk: literal.lapse_risk === null ? null : fourDecimals(literal.lapse_risk),
      });
    });
  });
});

function fourDecimals(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
