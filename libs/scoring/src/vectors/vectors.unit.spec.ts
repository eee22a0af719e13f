import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_VERSION, type HistoriesRequest, type LogAnalysis } from '../index';
import { literalReading } from '../logs/literal-reading.fixture';
import { FUNCTIONS, printed, type VectorFile } from './vector-files.fixture';

const VECTORS = join(__dirname, '../../vectors');
const textOf = (name: string) => readFileSync(join(VECTORS, ENGINE_VERSION, `${name}.json`), 'utf8');
const read = (name: string) => JSON.parse(textOf(name)) as VectorFile;

describe('golden vectors', () => {
  describe.each(Object.keys(FUNCTIONS))('%s', (name) => {
    it.each(read(name).vectors.map((vector) => [vector.name, vector] as const))('%s', (_, { input, output }) => {
      expect(JSON.stringify(FUNCTIONS[name]!(input as never))).toBe(JSON.stringify(output));
    });

    it('belongs to the running version, and has the bytes that the generator writes', () => {
      expect(read(name)).toMatchObject({ engine_version: ENGINE_VERSION, function: name });
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
      const { evidence, occasions, excused, current_streak, best_streak, skip_budget_remaining } = literal;
      // The digits as they are printed: none of these is within an error of rounding of a half.
      expect(metrics[i]).toMatchObject({
        evidence,
        occasions,
        excused,
        current_streak,
        best_streak,
        skip_budget_remaining,
        completion_rate: fourDecimals(literal.completion_rate),
        strength: fourDecimals(literal.strength),
        lapse_risk: literal.lapse_risk === null ? null : fourDecimals(literal.lapse_risk),
      });
    });
  });
});

describe('docs/scoring.md', () => {
  const text = readFileSync(join(__dirname, '../../../../docs/scoring.md'), 'utf8');

  it('is about the running version', () => {
    expect(text).toContain(`version ${ENGINE_VERSION}:`);
    expect(text).toContain(`- **${ENGINE_VERSION}.**`);
  });

  it('names the test of each property', () => {
    const named = [...text.matchAll(/\[(S\d+)\]\(\.\.\/libs\/scoring\/src\/(\S+)\)/g)];
    expect(named).toHaveLength(17);
    for (const [, property, suite] of named)
      expect(readFileSync(join(__dirname, '..', suite!), 'utf8')).toContain(`describe('${property}', `);
  });
});

function fourDecimals(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
