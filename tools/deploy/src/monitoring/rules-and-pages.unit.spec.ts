import { APP_NAMES, METRIC_PREFIX, METRICS, openApiParts } from '@evenkeel/contracts';
import { timings } from '@evenkeel/platform/observability';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { SURFACES } from './budgets.fixture';
import { anchorOf, askedOfPrometheus, metricNames, ruleFiles, rulesOf, runbookOf, sections } from './monitoring-files';

const asked = askedOfPrometheus();
const rules = rulesOf(ruleFiles());
const alerts = rules.filter(({ alert }) => alert !== undefined);

interface Matcher {
  label: string;
  operator: string;
  text: string;
}

function matchersIn(expr: string): Matcher[] {
  return [...expr.matchAll(/\b(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, label, operator, text]) => ({
    label: label!,
    operator: operator!,
    text: text!,
  }));
}

/** Whether a value fits, as Prometheus reads a matcher: a pattern is that of the whole value. */
function fits({ operator, text }: Matcher, value: string): boolean {
  const isEqual = operator.includes('~') ? new RegExp(`^(?:${text})$`).test(value) : value === text;
  return operator.startsWith('!') ? !isEqual : isEqual;
}

const matchersOf = (label: string) =>
  asked.flatMap(({ expr }) => matchersIn(expr)).filter((one) => one.label === label);

describe('an expression', () => {
  it('names only what our processes, Node, rules or Prometheus show; and all that is ours', () => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const ofNode = registry.getMetricsAsArray().map(({ name }) => name);
    registry.clear();
    const own = Object.entries(METRICS).map(([name, { type }]) =>
      (type === 'histogram' ? ['_bucket', '_count', '_sum'] : ['']).map((part) => `${METRIC_PREFIX}${name}${part}`),
    );
    const ofOthers = ['up', 'ALERTS', 'probe_success', 'probe_ssl_earliest_cert_expiry'];
    const known = new Set([...own.flat(), ...ofNode, ...rules.flatMap(({ record = [] }) => record), ...ofOthers]);
    const named = asked.flatMap(({ where, expr }) => metricNames(expr).map((name) => ({ where, name })));
    expect(named.filter(({ name }) => !known.has(name))).toEqual([]);
    const names = named.map(({ name }) => name);
    // A lag is asked for in seconds: the count beside it has the same beginning.
    expect(own.filter((parts) => !parts.some((part) => names.some((name) => name.startsWith(part))))).toEqual([]);
  });

  it('names only routes, services and buckets that are there', async () => {
    const routes = [...ROUTES.map(({ route }) => route), UNKNOWN];
    const unrouted = matchersOf('route').flatMap((matcher) =>
      matcher.text
        .split(/\|(?![^(]*\))/)
        .filter((text) => !routes.some((route) => fits({ ...matcher, operator: '=~', text }, route))),
    );
    expect([matchersOf('route').length > 20, unrouted]).toEqual([true, []]);
    expect(matchersOf('service').filter((one) => !APP_NAMES.some((app) => fits(one, app)))).toEqual([]);
    const seconds = timings('http_request_seconds');
    seconds.observe(1);
    const bounds = (await seconds.get()).values.map(({ labels }) => String(labels.le));
    expect(matchersOf('le').filter(({ text }) => !bounds.includes(text))).toEqual([]);
  });
});

/** Service and template of every documented route, as the label `route` has it. */
const ROUTES = [...openApiParts()].flatMap(([service, { paths }]) =>
  Object.keys(paths).map((path) => ({ service, route: path.replaceAll(/\{(\w+)\}/g, ':$1') })),
);
const UNKNOWN = 'unknown';

describe('a surface', () => {
  const ofWhat = (what: string) => rules.filter(({ record }) => record === `evenkeel:${what}:rate5m`);
  const surfacesOf = (what: string, service: string, route: string): string[] =>
    ofWhat(what)
      .filter(({ expr }) =>
        matchersIn(expr)
          .filter(({ label }) => ['service', 'route'].includes(label))
          .every((matcher) => fits(matcher, matcher.label === 'service' ? service : route)),
      )
      .map(({ labels }) => labels!.surface!);

  it.each(['requests', 'failed', 'slow'])('%s: has each route of ours once, and no unknown one', (what) => {
    expect(ROUTES.filter(({ service, route }) => surfacesOf(what, service, route).length !== 1)).toEqual([]);
    expect(APP_NAMES.flatMap((service) => surfacesOf(what, service, UNKNOWN))).toEqual([]);
    for (const { surface, service, route } of SURFACES) expect(surfacesOf(what, service, route)).toEqual([surface]);
    expect(ofWhat(what).map(({ labels }) => labels!.surface)).toEqual(SURFACES.map(({ surface }) => surface));
  });
});

it('an alert links to the section of the page that says what to do, and each section has its alert', () => {
  for (const { alert, labels, annotations } of alerts) {
    expect(annotations).toMatchObject({ runbook_url: runbookOf(alert!), summary: expect.stringMatching(/\.$/) });
    expect(['page', 'ticket']).toContain(labels?.severity);
  }
  const aboutAlerts = [...sections()].flatMap(([anchor, { text }]) => (text.includes('**What it means') ? anchor : []));
  expect(aboutAlerts.sort()).toEqual([...new Set(alerts.map(({ alert }) => anchorOf(alert!)))].sort());
});
