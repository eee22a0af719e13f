import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP_NAMES } from '@evenkeel/contracts';
import { ensureProgram } from '@evenkeel/services';
import { parse, stringify } from 'yaml';
import { ALL_RULES, askedOfPrometheus, RULES, rulesOf, runbookOf } from './monitoring.fixture';

jest.setTimeout(300_000);

/** Series, with their values from minute to minute; when to look, and the alerts that must then be there, and nothing else. */
interface Course {
  series: Record<string, string>;
  at: string;
  fires?: string | readonly string[];
  /** Days of minutes would take a minute to play: rules are evaluated so often. Default: every minute. */
  every?: string;
}
type Courses = Readonly<Record<string, Course>>;

/** By the file of the rules. */
const COURSES = parse(readFileSync(join(__dirname, 'courses.yaml'), 'utf8')) as Record<string, Courses>;

const HALVES = APP_NAMES.flatMap((app) => [`${app}-http-internal`, `${app}-worker-internal`]);
const RELAYING = ['agent-gateway', 'accounts', 'billing'];
/** The series while everything runs. A course states the differences. */
const RUNNING = [
  ...HALVES.map((job) => `up{job="${job}",instance="a"}`),
  ...RELAYING.map((service) => `evenkeel_relay_active{service="${service}",instance="a"}`),
  'probe_success{job="edge",instance="edge"}',
];
const allOf = (names: readonly string[], values: string) => Object.fromEntries(names.map((name) => [name, values]));

/** Of all rules together: nothing may fire, and nothing may divide by zero, when nobody sends a request; and all pages come. */
const TOGETHER: Courses = {
  'no traffic': {
    series: {
      ...allOf(
        Object.values(COURSES).flatMap((courses) =>
          Object.values(courses).flatMap(({ series }) =>
            Object.keys(series).filter((name) => !/^(up|probe_)/.test(name)),
          ),
        ),
        '0x70',
      ),
      ...allOf(RUNNING, '1x70'),
    },
    at: '65m',
  },
  'every process and the edge have gone': {
    series: allOf(RUNNING, '1x5 stale'),
    at: '70m',
    fires: [
      ...HALVES.map((job) => `page ServiceMissing{job="${job}"} No process of ${job} is known to Prometheus.`),
      ...RELAYING.map((service) => `page RelayMissing{service="${service}"} No worker of ${service} publishes events.`),
      'page EdgeUnreachable{job="edge"} The edge does not answer as clients ask it, or nobody asks.',
    ],
  },
};

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'promtool-'));
  const purpose = 'promtool of Prometheus 2.42 or later';
  program = await ensureProgram({ name: 'promtool', debianPackage: 'prometheus', purpose });
});
afterAll(() => rmSync(folder, { recursive: true }));

function promtool(action: 'check' | 'test', name: string, content: object) {
  const file = join(folder, name);
  writeFileSync(file, stringify(content));
  const { status, stdout, stderr } = spawnSync(program, [action, 'rules', file], { cwd: folder, encoding: 'utf8' });
  return { code: status, text: stdout + stderr };
}
const passed = { code: 0, text: expect.stringContaining('SUCCESS') as string };

/** `page OutboxLag{service="billing"} An event waits.` */
function fired(line: string) {
  const [, severity, alert, labels = '', summary] = /^(page|ticket) (\w+)\{(.*?)\} (.+)$/.exec(line)!;
  const named = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]);
  return { severity: severity!, alert: alert!, summary: summary!, labels: Object.fromEntries(named) as object };
}
const firedIn = ({ fires = [] }: Course) => [fires].flat().map(fired);

/** Plays courses: of each alert of the files all that must be there, and nothing else. */
function play(files: readonly string[], courses: [name: string, course: Course][]) {
  for (const file of files) writeFileSync(join(folder, file), stringify({ groups: RULES.get(file) }));
  const alerts = new Set(files.flatMap(rulesOf).flatMap(({ alert = [] }) => alert));
  const tests = courses.map(([name, course]) => ({
    name,
    interval: '1m',
    input_series: Object.entries({ ...allOf(RUNNING, '1x3000'), ...course.series }).map(([series, values]) => ({
      series,
      values,
    })),
    alert_rule_test: [...alerts].map((alertname) => ({
      eval_time: course.at,
      alertname,
      exp_alerts: firedIn(course)
        .filter(({ alert }) => alert === alertname)
        .map(({ severity, labels, summary }) => ({
          exp_labels: { severity, ...labels },
          exp_annotations: { summary, runbook_url: runbookOf(alertname) },
        })),
    })),
  }));
  const evaluation_interval = courses[0]![1].every ?? '1m';
  return promtool('test', 'tests.yaml', { rule_files: files, evaluation_interval, tests });
}

it.each(Object.entries(COURSES))('each alert of %s fires when it should, and at no other time', (name, courses) => {
  const all = Object.entries(courses);
  for (const every of new Set(all.map(([, course]) => course.every))) {
    const alike = all.filter(([, course]) => course.every === every);
    expect(play([name], alike)).toEqual(passed);
  }
});

it('none fires when nothing happens, and all pages of absence do when every series has ended', () => {
  expect(play([...RULES.keys()], Object.entries(TOGETHER))).toEqual(passed);
});

it('no alert is without a course', () => {
  const played = Object.values(COURSES).flatMap((courses) => Object.values(courses).flatMap(firedIn));
  const wanted = ALL_RULES.flatMap(({ alert, labels }) => (alert ? [`${alert} ${labels?.severity}`] : []));
  expect(new Set(played.map(({ alert, severity }) => `${alert} ${severity}`))).toEqual(new Set(wanted));
});

it('every expression of rules and dashboards can be read', () => {
  const rules = askedOfPrometheus().map(({ expr }, index) => ({ record: `read:${index}`, expr }));
  expect(promtool('check', 'read.yaml', { groups: [{ name: 'read', rules }] })).toEqual(passed);
});
