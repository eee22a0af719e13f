import { COURSES } from './courses.fixture';
import { RUNNING, type Played } from './played.fixture';
import { QUIET } from './quiet.fixture';
import { ruleFiles, rulesOf, type RuleGroups } from './monitoring-files';
import { runbookOf } from './page-of';
import { Promtool, type RuleTest } from './promtool.fixture';

let promtool: Promtool;
beforeAll(async () => {
  promtool = await Promtool.find();
}, 300_000);

/** Of each alert of the files all that must be there, and nothing else. */
function testOf(name: string, { series, at, firing }: Played, rules: ReadonlyMap<string, RuleGroups>): RuleTest {
  const alerts = [...new Set(rulesOf(rules).flatMap(({ alert = [] }) => alert))];
  return {
    name,
    interval: '1m',
    input_series: Object.entries({ ...RUNNING, ...series }).map(([one, values]) => ({ series: one, values })),
    alert_rule_test: alerts.map((alertname) => ({
      eval_time: at,
      alertname,
      exp_alerts: firing
        .filter(({ alert }) => alert === alertname)
        .map(({ severity, labels, summary }) => ({
          exp_labels: { severity, ...labels },
          exp_annotations: { summary, runbook_url: runbookOf(alertname) },
        })),
    })),
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
    for (const every of new Set(Object.values(courses).map((course) => course.every))) {
      const played = Object.entries(courses).filter(([, course]) => course.every === every);
      const tests = played.map(([what, course]) => testOf(what, course, fileOf(name)));
      expect(promtool.test(fileOf(name), tests, every)).toEqual(passed);
    }
  },
  180_000,
);

it('none fires when nothing happens, and all pages of absence do when every series has ended', () => {
  const tests = Object.entries(QUIET).map(([what, course]) => testOf(what, course, files));
  expect(promtool.test(files, tests)).toEqual(passed);
}, 180_000);

it('and a wrong expectation would be seen', () => {
  const file = fileOf('platform.yaml');
  const course = COURSES['platform.yaml']!['a process does not answer']!;
  const [fired] = course.firing;
  for (const firing of [[], [{ ...fired!, severity: 'ticket' as const }], [{ ...fired!, summary: 'It fails.' }]]) {
    expect(promtool.test(file, [testOf('a wrong one', { ...course, firing }, file)])).toMatchObject({
      code: 1,
      text: expect.stringContaining('ProcessMissing'),
    });
  }
});

it.each([...files])('no rule of %s is without a course', (name, rules) => {
  const fired = Object.values(COURSES[name] ?? {}).flatMap(({ firing }) => firing);
  const played = new Set(fired.map(({ alert, severity }) => `${alert} ${severity}`));
  const wanted = rulesOf(new Map([[name, rules]])).flatMap(({ alert, labels }) =>
    alert === undefined ? [] : [`${alert} ${labels?.severity}`],
  );
  expect([...played].sort()).toEqual([...new Set(wanted)].sort());
});

it('no rule of an alert can be left out', () => {
  for (const [name, rules] of files) {
    const alerts = rulesOf(new Map([[name, rules]])).filter(({ alert }) => alert !== undefined);
    const each = new Set(alerts.map(({ alert, labels }) => `${alert} ${labels?.severity}`));
    // Two of one name and severity could stand in for each other.
    expect(each.size).toBe(alerts.length);
  }
});
