import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(__dirname, '../../../..');
const MONITORING = join(ROOT, 'k8s/components/monitoring');
const PAGES = join(ROOT, 'docs/operations');

interface Rule {
  /** Of an alert; a recording rule has `record`. */
  alert?: string;
  record?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export interface RuleGroups {
  groups: { name: string; rules: Rule[] }[];
}

/** The `spec` of each PrometheusRule object, by the name of its file. */
export function ruleFiles(): ReadonlyMap<string, RuleGroups> {
  const folder = join(MONITORING, 'rules');
  return new Map(
    readdirSync(folder).map((name) => [
      name,
      (parse(readFileSync(join(folder, name), 'utf8')) as { spec: RuleGroups }).spec,
    ]),
  );
}

export function rulesOf(files: ReadonlyMap<string, RuleGroups>): Rule[] {
  return [...files.values()].flatMap(({ groups }) => groups.flatMap(({ rules }) => rules));
}

interface Panel {
  title: string;
  /** A `row` shows nothing itself. */
  type: string;
  targets?: { expr: string; legendFormat: string }[];
  panels?: Panel[];
}

interface Dashboard {
  panels: Panel[];
  templating: { list: { query?: unknown }[] };
}

function dashboards(): Dashboard[] {
  const folder = join(MONITORING, 'dashboards');
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Dashboard);
}

/** The expressions of all rules and dashboards, with a value in place of each variable of Grafana; and who asks. */
export function askedOfPrometheus(): { where: string; expr: string }[] {
  const inPanels = (all: readonly Panel[]): { where: string; expr: string }[] =>
    all.flatMap(({ title, targets = [], panels: more = [] }) => [
      ...targets.map(({ expr }) => ({ where: title, expr })),
      ...inPanels(more),
    ]);
  const ofVariables = ({ query }: { query?: unknown }) => {
    const [, expr] = /^label_values\((.+), \w+\)$/.exec(String(query)) ?? [];
    return expr === undefined ? [] : [{ where: 'a variable', expr }];
  };
  return [
    ...rulesOf(ruleFiles()).map(({ alert, record, expr }) => ({ where: alert ?? record!, expr })),
    ...dashboards().flatMap(({ panels, templating }) => [...inPanels(panels), ...templating.list.flatMap(ofVariables)]),
  ].map(({ where, expr }) => ({
    where,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$service', 'billing'),
  }));
}

const WORD = /^(and|or|unless|by|without|on|ignoring|group_left|group_right|offset|bool)$/i;

/** Names of the metrics that an expression asks for. */
export function metricNames(expr: string): string[] {
  const bare = expr
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  // A name before a bracket is a function.
  const names = bare.match(/(?<![\w.:])[a-zA-Z_:][\w:]*(?!\w|\s*\()/g) ?? [];
  return [...new Set(names)].filter((name) => !WORD.test(name));
}

/** Anchor of the section that says what to do about an alert. */
export function anchorOf(alert: string): string {
  return alert.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
}

/** Sections of the pages of operations by their anchor: the page, and the text below the heading. */
export function sections(): ReadonlyMap<string, { page: string; text: string }> {
  const names = readdirSync(PAGES).filter((name) => name.endsWith('.md'));
  return new Map(
    names.flatMap((name) =>
      readFileSync(join(PAGES, name), 'utf8')
        .split(/^## /m)
        .slice(1)
        .map((text) => {
          const anchor = text.split('\n')[0]!.toLowerCase().replaceAll(' ', '-');
          return [anchor, { page: name.replace('.md', ''), text }] as const;
        }),
    ),
  );
}

/** Where the rule of an alert leads. */
export function runbookOf(alert: string): string {
  const anchor = anchorOf(alert);
  return `docs/operations/${sections().get(anchor)?.page ?? 'nothing'}.md#${anchor}`;
}
