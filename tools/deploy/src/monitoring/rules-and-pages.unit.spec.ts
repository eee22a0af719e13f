import { APP_NAMES, METRIC_PREFIX, METRICS, openApiParts } from '@evenkeel/contracts';
import { timings } from '@evenkeel/platform/observability';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { ALL_RULES, anchorOf, askedOfPrometheus, runbookOf, SECTIONS } from './monitoring.fixture';

const asked = askedOfPrometheus();

const WORD = /^(and|or|unless|by|without|on|ignoring|group_left|group_right|offset|bool)$/i;

/** Names of the metrics that an expression asks for. */
function metricNames(expr: string): string[] {
  const bare = expr
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  // A name before a bracket is a function.
  const names = bare.match(/(?<![\w.:])[a-zA-Z_:][\w:]*(?!\w|\s*\()/g) ?? [];
  return names.filter((name) => !WORD.test(name));
}

interface Matcher {
  label: string;
  operator: string;
  text: string;
}

function matchersIn(expr: string): Matcher[] {
  const matched = expr.matchAll(/\b(?<label>\w+)(?<operator>=~|!~|!=|=)"(?<text>[^"]*)"/g);
  return [...matched].map(({ groups }) => groups as unknown as Matcher);
}

/** Whether a value fits, as Prometheus reads a matcher: a pattern is that of the whole value. */
function fits({ operator, text }: Matcher, value: string): boolean {
  const isEqual = operator.includes('~') ? new RegExp(`^(?:${text})$`).test(value) : value === text;
  return operator.startsWith('!') ? !isEqual : isEqual;
}

const matchersOf = (label: string) =>
  asked.flatMap(({ expr }) => matchersIn(expr)).filter((one) => one.label === label);

/** Service and template of every documented route, as the label `route` has it. */
const ROUTES = [...openApiParts()].flatMap(([service, { paths }]) =>
  Object.keys(paths).map((path) => ({ service, route: path.replaceAll(/\{(\w+)\}/g, ':$1') })),
);
const UNKNOWN = 'unknown';

it('an expression names only what our processes, Node, rules or Prometheus show; and all that is ours', () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const ofNode = registry.getMetricsAsArray().map(({ name }) => name);
  registry.clear();
  const own = Object.entries(METRICS).map(([name, { type }]) =>
    (type === 'histogram' ? ['_bucket', '_count', '_sum'] : ['']).map((part) => `${METRIC_PREFIX}${name}${part}`),
  );
  const ofOthers = ['up', 'ALERTS', 'probe_success', 'probe_ssl_earliest_cert_expiry'];
  const known = [...own.flat(), ...ofNode, ...ALL_RULES.flatMap(({ record = [] }) => record), ...ofOthers];
  const named = asked.flatMap(({ where, expr }) => metricNames(expr).map((name) => ({ where, name })));
  expect(named.filter(({ name }) => !known.includes(name))).toEqual([]);
  // A lag is asked for in seconds: the count beside it has the same beginning.
  const isAsked = (part: string) => named.some(({ name }) => name.startsWith(part));
  expect(own.filter((parts) => !parts.some(isAsked))).toEqual([]);
});

it('an expression names only routes, services and buckets that are there', async () => {
  const routes = [...ROUTES.map(({ route }) => route), UNKNOWN];
  const texts = matchersOf('route').flatMap(({ text }) => text.split(/\|(?![^(]*\))/));
  const isThere = (text: string) => routes.some((route) => fits({ label: 'route', operator: '=~', text }, route));
  expect([texts.length > 20, texts.filter((text) => !isThere(text))]).toEqual([true, []]);
  expect(matchersOf('service').filter((one) => !APP_NAMES.some((app) => fits(one, app)))).toEqual([]);
  const seconds = timings('http_request_seconds');
  seconds.observe(1);
  const bounds = (await seconds.get()).values.map(({ labels }) => String(labels.le));
  // Prometheus 3 writes a whole number with a decimal place, and those before it as it is on the page.
  const stored = bounds.map((bound) => [bound, /^\d+$/.test(bound) ? `${bound}.0` : bound]);
  const isBucket = (one: Matcher) => stored.some((forms) => forms.every((form) => fits(one, form)));
  expect(matchersOf('le').filter((one) => !isBucket(one))).toEqual([]);
});

it.each(['requests', 'failed', 'slow'])('surfaces of %s: each route of ours is in one, and no unknown one', (what) => {
  const ofWhat = ALL_RULES.filter(({ record }) => record === `evenkeel:${what}:rate5m`);
  const surfacesOf = (service: string, route: string) =>
    ofWhat.filter(({ expr }) =>
      matchersIn(expr)
        .filter(({ label }) => ['service', 'route'].includes(label))
        .every((matcher) => fits(matcher, matcher.label === 'service' ? service : route)),
    );
  expect(ROUTES.filter(({ service, route }) => surfacesOf(service, route).length !== 1)).toEqual([]);
  expect(APP_NAMES.flatMap((service) => surfacesOf(service, UNKNOWN))).toEqual([]);
});

it('an alert links to the section of the page that says what to do, and each section has its alert', () => {
  const alerts = ALL_RULES.filter(({ alert }) => alert !== undefined);
  for (const { alert, labels, annotations } of alerts) {
    expect(annotations).toMatchObject({ runbook_url: runbookOf(alert!), summary: expect.stringMatching(/\.$/) });
    expect(['page', 'ticket']).toContain(labels?.severity);
  }
  const aboutAlerts = [...SECTIONS].flatMap(([anchor, { text }]) => (text.includes('**What it means') ? anchor : []));
  expect(new Set(aboutAlerts)).toEqual(new Set(alerts.map(({ alert }) => anchorOf(alert!))));
});
