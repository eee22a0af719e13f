import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(__dirname, '../../../..');

interface Rule {
  /** Of an alert; a recording rule has `record`. */
  alert?: string;
  record?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

interface Panel {
  title: string;
  targets?: { expr: string }[];
  /** Of a row. */
  panels?: Panel[];
}

interface Dashboard {
  panels: Panel[];
  templating: { list: { query?: unknown }[] };
}

function filesIn(folder: string): [name: string, text: string][] {
  const path = join(ROOT, folder);
  return readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]);
}

/** The groups of each PrometheusRule object, by the name of its file. */
export const RULES: ReadonlyMap<string, { rules: Rule[] }[]> = new Map(
  filesIn('k8s/components/monitoring/rules').map(([name, text]) => [
    name,
    (parse(text) as { spec: { groups: { rules: Rule[] }[] } }).spec.groups,
  ]),
);

export function rulesOf(name: string): Rule[] {
  return RULES.get(name)!.flatMap(({ rules }) => rules);
}

export const ALL_RULES: readonly Rule[] = [...RULES.keys()].flatMap(rulesOf);

/** The expressions of all rules and dashboards, with a value in place of each variable of Grafana; and who asks. */
export function askedOfPrometheus(): { where: string; expr: string }[] {
  const inPanels = (panels: readonly Panel[]): { where: string; expr: string }[] =>
    panels.flatMap(({ title, targets = [], panels: more = [] }) => [
      ...targets.map(({ expr }) => ({ where: title, expr })),
      ...inPanels(more),
    ]);
  const dashboards = filesIn('k8s/components/monitoring/dashboards').flatMap(([name, text]) => {
    const { panels, templating } = JSON.parse(text) as Dashboard;
    const ofVariables = templating.list.flatMap(({ query }) => {
      const [, expr] = /^label_values\((.+), \w+\)$/.exec(String(query)) ?? [];
      return expr === undefined ? [] : [{ where: name, expr }];
    });
    return [...inPanels(panels), ...ofVariables];
  });
  const inRules = ALL_RULES.map(({ alert, record, expr }) => ({ where: alert ?? record!, expr }));
  return [...inRules, ...dashboards].map(({ where, expr }) => ({
    where,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$service', 'billing'),
  }));
}

/** The anchor of the section about an alert: `OutboxLag` has `outbox-lag`. */
export function anchorOf(alert: string): string {
  return alert.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
}

/** The sections of the pages of operations, by their anchors. */
export const SECTIONS: ReadonlyMap<string, { page: string; text: string }> = new Map(
  filesIn('docs/operations').flatMap(([page, whole]) =>
    whole
      .split(/^## /m)
      .slice(1)
      .map((text) => [text.split('\n')[0]!.toLowerCase().replaceAll(' ', '-'), { page, text }] as const),
  ),
);

/** Where the rule of an alert leads. */
export function runbookOf(alert: string): string {
  const anchor = anchorOf(alert);
  return `docs/operations/${SECTIONS.get(anchor)?.page}#${anchor}`;
}
