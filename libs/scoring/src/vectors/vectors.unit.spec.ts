import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_VERSION, type HistoriesRequest, type LogAnalysis } from '../index';
import { literalReading } from '../logs/literal-reading.fixture';
import { FUNCTIONS, printed, vectorFile, type VectorFile } from './vector-files.fixture';

const VECTORS = join(__dirname, '../../vectors');
const textOf = (name: string, version = ENGINE_VERSION) => readFileSync(join(VECTORS, version, `${name}.json`), 'utf8');
const read = (name: string, version?: string) => JSON.parse(textOf(name, version)) as VectorFile;

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

    it('is what the generator writes', () => {
      expect(textOf(name)).toBe(printed(vectorFile(name)));
    });
  });
});

/** Members whose values differ, each as a path without places in lists. */
function differences(before: unknown, after: unknown, path = ''): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const areLists = Array.isArray(before) && Array.isArray(after);
  // Texts of lists shift when one of them goes.
  if (areLists && [...before, ...after].every((entry) => typeof entry === 'string')) return [path];
  if (areLists && before.length !== after.length) return [path];
  if (!isObject(before) || !isObject(after)) return [path];
  return Object.keys({ ...before, ...after }).flatMap((name) =>
    differences(before[name], after[name], areLists ? `${path}[]` : path === '' ? name : `${path}.${name}`),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** What a version answers otherwise than the one before: the vectors of each function, and the members that differ. */
function changes(from: string, to: string) {
  return Object.fromEntries(
    Object.keys(FUNCTIONS).flatMap((name) => {
      const after = new Map(read(name, to).vectors.map((vector) => [vector.name, vector.output]));
      const changed = read(name, from)
        .vectors.map((vector) => [vector.name, differences(vector.output, after.get(vector.name))] as const)
        .filter(([, members]) => members.length > 0);
      const members = [...new Set(changed.flatMap(([, paths]) => paths))].sort();
      return changed.length === 0 ? [] : [[name, { vectors: changed.map(([vector]) => vector), members }]];
    }),
  );
}

describe('a new version', () => {
  it('1.1.0 changed the answers for week-type habits, and no other', () => {
    const weekType = [
      'first, partial week; running week; skipped week',
      'once a week, weeks from Saturday',
      'five times a week',
      'ten times a week, two a day',
      'several habits of one person',
    ];
    const { analyzeLogs, planFromLogs, ...others } = changes('1.0.0', '1.1.0');
    expect([analyzeLogs?.vectors, planFromLogs?.vectors, others]).toEqual([
      weekType,
      weekType.filter((name) => !name.startsWith('once')),
      {},
    ]);
  });

  it('1.2.0 changed weekdays, actions, streak marks, means of nothing and texts, and no score', () => {
    expect(changes('1.1.0', '1.2.0')).toEqual(CHANGED);
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
      // The digits as they are printed: none of these lies within an error of rounding of a half.
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

const RECOMMENDED_OTHERWISE = [
  'ends of all ranges',
  'mood follows completion over ten habits',
  'twenty-five habits',
  'twenty-five other habits',
];

const CHANGED = {
  analyzeHabits: { vectors: RECOMMENDED_OTHERWISE, members: ['recommendations'] },
  insightsForHabits: { vectors: RECOMMENDED_OTHERWISE, members: ['recommendations'] },
  recommendForHabits: {
    vectors: RECOMMENDED_OTHERWISE,
    members: ['recommendations[].action', 'recommendations[].code'],
  },
  analyzeLogs: {
    // `worst_weekday` is a new member, so each of them differs.
    vectors: read('analyzeLogs', '1.1.0').vectors.map(({ name }) => name),
    members: [
      ...['adherence', 'consistency', 'lapse_risk', 'momentum'].map((score) => `aggregate_summary.mean_${score}`),
      ...['habits[].metrics.best_weekday', 'habits[].metrics.worst_weekday'],
      ...['highlights', 'recommendations', 'watchouts'],
    ],
  },
  planFromLogs: {
    vectors: [
      'published 90-day history',
      'worked example: two weeks',
      'worked example: then one more done day',
      'worked example: then a skip',
      'worked example: three times a week, from a Thursday',
      'worked example: twice a week, third week excused',
      'all targets a week, running week',
      'no start date: the earliest log, or the creation day',
      'half a credit, less an error of rounding',
      'no evidence: fresh, skipped, running week',
      'skips in date order',
      'first, partial week; running week; skipped week',
      'fixed days, often',
      'five times a week',
      'ten times a week, two a day',
      'several habits of one person',
    ],
    members: ['', '[].code', '[].day', '[].mark', '[].text'].map((member) => `plan[].milestones${member}`),
  },
};
