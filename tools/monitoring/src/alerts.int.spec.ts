import { COURSES, QUIET, type Played } from './courses.fixture';
import { ruleFiles, rulesOf } from './monitoring-files';
import { Promtool, type RuleTest } from './promtool.fixture';

let promtool: Promtool;
beforeAll(async () => {
  promtool = await Promtool.find();
}, 300_000);

function testOf(name: string, { series, at, firing }: Played): RuleTest {
  return {
    name,
    interval: '1m',
    input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"}) > bool 0',
        eval_time: at,
        exp_samples: firing.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
      },
    ],
  };
}

const files = ruleFiles();

it.each([...files])('promtool reads the rules of %s', (_name, rules) => {
  expect(promtool.check(rules)).toEqual({ code: 0, text: expect.stringContaining('SUCCESS') });
});

it('and refuses one that cannot be read', () => {
  const broken = { groups: [{ name: 'broken', rules: [{ alert: 'Broken', expr: 'sum by (up' }] }] };
  expect(promtool.check(broken).code).not.toBe(0);
});

const passed = { code: 0, text: expect.stringContaining('SUCCESS') as string };
const fileOf = (name: string) => new Map([[name, files.get(name)!]]);

it.each(Object.entries(COURSES))(
  'each alert of %s fires when it should, and at no other time',
  (name, courses) => {
    for (const every of [undefined, '10m'] as const) {
      const played = Object.entries(courses).filter(([, course]) => course.every === every);
      const tests = played.map(([what, course]) => testOf(what, course));
      if (tests.length > 0) expect(promtool.test(fileOf(name), tests, every)).toEqual(passed);
    }
  },
  180_000,
);

it('none fires when nothing happens', () => {
  const tests = Object.entries(QUIET).map(([what, course]) => testOf(what, course));
  expect(promtool.test(files, tests)).toEqual(passed);
}, 180_000);

it('and a wrong expectation would be seen', () => {
  const calm = testOf('calm', { ...COURSES['platform.yaml']!['a process does not answer']!, firing: [] });
  expect(promtool.test(fileOf('platform.yaml'), [calm])).toMatchObject({
    code: 1,
    text: expect.stringContaining('ProcessMissing'),
  });
});

it.each([...files])('no alert of %s is without a course', (name, rules) => {
  const played = new Set(Object.values(COURSES[name] ?? {}).flatMap(({ firing }) => firing));
  const alerts = new Set(rulesOf(new Map([[name, rules]])).flatMap(({ alert = [] }) => alert));
  expect([...played].sort()).toEqual([...alerts].sort());
});
