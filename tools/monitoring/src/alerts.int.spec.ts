import { COURSES, ZERO_TRAFFIC, type Played } from './courses.fixture';
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

it.each([undefined, '10m'] as const)(
  'each alert fires when it should, and at no other time (%s)',
  (every) => {
    const courses = Object.entries({ ...COURSES, 'no traffic': ZERO_TRAFFIC });
    const tests = courses.filter(([, played]) => played.every === every).map(([name, played]) => testOf(name, played));
    expect(promtool.test(files, tests, every)).toEqual({ code: 0, text: expect.stringContaining('SUCCESS') });
  },
  400_000,
);

it('and a wrong expectation would be seen', () => {
  const calm = testOf('calm', { ...COURSES['a process does not answer']!, firing: [] });
  expect(promtool.test(files, [calm])).toMatchObject({ code: 1, text: expect.stringContaining('ProcessMissing') });
});

it('no alert is without a course', () => {
  const played = new Set(Object.values(COURSES).flatMap(({ firing }) => firing));
  const alerts = new Set(rulesOf(files).flatMap(({ alert = [] }) => alert));
  expect([...played].sort()).toEqual([...alerts].sort());
});
