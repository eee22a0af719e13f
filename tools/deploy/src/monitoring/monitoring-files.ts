import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(__dirname, '../../../..');
const MONITORING = join(ROOT, 'k8s/components/monitoring');
const PAGES = join(ROOT, 'docs/operations');

export interface Rule {
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

/** An expression of Prometheus, and its file. */
export interface Expression {
  place: string;
  expr: string;
}

/** The `spec` of each PrometheusRule object, by the name of its file. */
export function ruleFiles(): ReadonlyMap<string, RuleGroups> {
  const folder = join(MONITORING, 'rules');
  return new Map(
    readdirSync(folder).map((name) => {
      const { kind, spec } = parse(readFileSync(join(folder, name), 'utf8')) as { kind: string; spec: RuleGroups };
      if (kind !== 'PrometheusRule') throw new Error(`${name} holds a ${kind}, and no PrometheusRule.`);
      return [name, spec];
    }),
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

interface Variable {
  name: string;
  type: string;
  query?: unknown;
}

export interface Dashboard {
  uid: string;
  title: string;
  panels: Panel[];
  templating: { list: Variable[] };
}

/** By the name of the file. */
export function dashboards(): ReadonlyMap<string, Dashboard> {
  const folder = join(MONITORING, 'dashboards');
  return new Map(
    readdirSync(folder).map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8')) as Dashboard]),
  );
}

/** Every expression of a dashboard, with a value in place of each variable of Grafana. */
export function expressionsOf(name: string, { panels, templating }: Dashboard): Expression[] {
  const inPanels = (all: readonly Panel[]): Expression[] =>
    all.flatMap(({ title, targets = [], panels: more = [] }) => [
      ...targets.map(({ expr }) => ({ place: `${name}, ${title}`, expr: withValues(expr) })),
      ...inPanels(more),
    ]);
  const ofVariables = templating.list.flatMap(({ name: variable, query }) => {
    const [, expr] = /^label_values\((.+), \w+\)$/.exec(String(query)) ?? [];
    return expr === undefined ? [] : [{ place: `${name}, variable ${variable}`, expr }];
  });
  return [...inPanels(panels), ...ofVariables];
}

function withValues(expr: string): string {
  return expr.replaceAll('$__rate_interval', '5m').replaceAll('$service', 'billing');
}

/** The expressions of all rules and dashboards. */
export function askedOfPrometheus(): Expression[] {
  return [
    ...rulesOf(ruleFiles()).map(({ alert, record, expr }) => ({ place: alert ?? record!, expr })),
    ...[...dashboards()].flatMap(([name, dashboard]) => expressionsOf(name, dashboard)),
  ];
}

/** Names that rules record, for others to ask for. */
export function recordedNames(): string[] {
  return rulesOf(ruleFiles()).flatMap(({ record = [] }) => record);
}

/** Names of Prometheus itself, and of the exporter that asks the edge as clients do. */
export const OF_OTHERS: readonly string[] = ['up', 'ALERTS', 'probe_success', 'probe_ssl_earliest_cert_expiry'];

/** Names of the pages that say what to do, without their ending. */
export function pages(): string[] {
  return readdirSync(PAGES)
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length));
}

export function pageText(name: string): string {
  return readFileSync(join(PAGES, `${name}.md`), 'utf8');
}

const WORDS = new Set([
  ...['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'group_left', 'group_right', 'offset', 'bool'],
  ...['inf', 'nan'],
]);

/** Names of the metrics that an expression asks for. */
export function metricNames(expr: string): string[] {
  const bare = expr
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  // A name before a bracket is a function.
  const names = bare.match(/(?<![\w.:])[a-zA-Z_:][\w:]*(?!\w|\s*\()/g) ?? [];
  return [...new Set(names)].filter((name) => !WORDS.has(name.toLowerCase()));
}
