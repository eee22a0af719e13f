import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from '@evenkeel/services';
import { stringify } from 'yaml';
import { COURSES, RUNNING, TOGETHER, type Course } from './courses.fixture';
import { askedOfPrometheus, ruleFiles, rulesOf, runbookOf, type RuleGroups } from './monitoring-files';

jest.setTimeout(300_000);

const PROMTOOL = { name: 'promtool', debianPackage: 'prometheus', purpose: 'promtool of Prometheus 2.42 or later' };

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'promtool-'));
  program = await ensureProgram(PROMTOOL, (line) => void process.stderr.write(`${line}\n`));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Files are written first: their names are the last arguments. @returns the exit code and what was said */
function promtool(action: 'check' | 'test', files: Readonly<Record<string, object>>) {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), stringify(content));
  const args = [action, 'rules', Object.keys(files).at(-1)!];
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  return { code: status, text: stdout + stderr };
}

const passed = { code: 0, text: expect.stringContaining('SUCCESS') as string };
const files = ruleFiles();
type Files = ReadonlyMap<string, RuleGroups>;
const fileOf = (name: string): Files => new Map([[name, files.get(name)!]]);

/** `page OutboxLag{service="billing"} An event waits.` */
function fired(line: string) {
  const [, severity = '', alert = '', labels = '', summary = ''] =
    /^(page|ticket) (\w+)\{(.*?)\} (.+)$/.exec(line) ?? [];
  const named = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]);
  return { severity, alert, summary, labels: Object.fromEntries(named) as Record<string, string> };
}

const firedIn = ({ fires = [] }: Course) => [fires].flat().map(fired);

/** Of each alert of the files all that must be there, and nothing else. */
function testOf(name: string, course: Course, rules: Files) {
  const running = Object.fromEntries(RUNNING.map((series) => [series, '1x3000']));
  const alerts = [...new Set(rulesOf(rules).flatMap(({ alert = [] }) => alert))];
  return {
    name,
    interval: '1m',
    input_series: Object.entries({ ...running, ...course.series }).map(([series, values]) => ({ series, values })),
    alert_rule_test: alerts.map((alertname) => ({
      eval_time: course.at,
      alertname,
      exp_alerts: firedIn(course)
        .filter(({ alert }) => alert === alertname)
        .map(({ severity, labels, summary }) => ({
          exp_labels: { severity, ...labels },
          exp_annotations: { summary, runbook_url: runbookOf(alertname) },
        })),
    })),
  };
}

function play(rules: Files, courses: [name: string, course: Course][]) {
  const tests = courses.map(([name, course]) => testOf(name, course, rules));
  const evaluation_interval = courses[0]![1].every ?? '1m';
  const played = { rule_files: [...rules.keys()], evaluation_interval, tests };
  return promtool('test', { ...Object.fromEntries(rules), 'tests.yaml': played });
}

it.each(Object.entries(COURSES))('each alert of %s fires when it should, and at no other time', (name, courses) => {
  const all = Object.entries(courses);
  for (const every of new Set(all.map(([, course]) => course.every)))
    expect(
      play(
        fileOf(name),
        all.filter(([, course]) => course.every === every),
      ),
    ).toEqual(passed);
});

it('none fires when nothing happens, and all pages of absence do when every series has ended', () => {
  expect(play(files, Object.entries(TOGETHER))).toEqual(passed);
});

it.each([...files])('no rule of %s is without a course, or could stand in for another', (name, rules) => {
  const played = Object.values(COURSES[name] ?? {}).flatMap(firedIn);
  const alerts = rulesOf(new Map([[name, rules]])).filter(({ alert }) => alert !== undefined);
  const wanted = alerts.map(({ alert, labels }) => `${alert} ${labels?.severity}`);
  expect([...new Set(played.map(({ alert, severity }) => `${alert} ${severity}`))].sort()).toEqual(wanted.sort());
});

it('every expression of rules and dashboards can be read', () => {
  const rules = askedOfPrometheus().map(({ expr }, index) => ({ record: `read:${index}`, expr }));
  expect(promtool('check', { 'read.yaml': { groups: [{ name: 'read', rules }] } })).toEqual(passed);
});
