import { APP_NAMES, METRIC_PREFIX, METRICS, openApiParts } from '@evenkeel/contracts';
import { timings } from '@evenkeel/platform/observability';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { SURFACES } from './budgets.fixture';
import { anchorOf, askedOfPrometheus, dashboards, metricNames } from './monitoring-files';
import { pages, ruleFiles, rulesOf, runbookOf, sections } from './monitoring-files';

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
  it.each([
    ['sum by (a, b) (rate(x_total{c=~"d(e)"}[5m])) / on (a) group_left y > 2', ['x_total', 'y']],
    ['evenkeel:slow:rate5m unless m offset 1h', ['evenkeel:slow:rate5m', 'm']],
  ])('%s names metrics', (expr, names) => expect(metricNames(expr)).toEqual(names));

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

it('every panel has a title, a description, a unit and a legend', () => {
  const shown = dashboards().flatMap(({ panels }) => panels.filter(({ type }) => type !== 'row'));
  for (const panel of shown) {
    expect(panel).toMatchObject({
      title: expect.stringMatching(/\S/),
      description: expect.stringMatching(/\.$/),
      fieldConfig: { defaults: { unit: expect.any(String) } },
    });
    for (const { legendFormat } of panel.targets!) expect(legendFormat).toMatch(/\S/);
  }
});

describe('a page of operations', () => {
  const PARTS = ['What it means', 'Look here', 'Do this', 'Wake'];
  const aboutAlerts = [...sections()].filter(([, { text }]) => text.includes(`**${PARTS[0]}`));

  it('has a section for each alert, which names it, says how urgent it is and what has happened', () => {
    expect(aboutAlerts.map(([anchor]) => anchor).sort()).toEqual(
      [...new Set(alerts.map(({ alert }) => anchorOf(alert!)))].sort(),
    );
    for (const { alert, labels, annotations } of alerts) {
      expect(annotations).toMatchObject({ runbook_url: runbookOf(alert!), summary: expect.stringMatching(/\.$/) });
      expect(['page', 'ticket']).toContain(labels?.severity);
    }
  });

  it.each(aboutAlerts)('%s says what to do, on one screen', (_anchor, { text }) => {
    expect(PARTS.filter((part) => !text.includes(`**${part}`))).toEqual([]);
    expect(text.split('\n').length).toBeLessThan(40);
  });

  it.each([...new Set(aboutAlerts.map(([, { page }]) => page))])('%s begins with log and database', (page) => {
    const [head = ''] = pages().get(page)!.split(/^## /m);
    expect(head).toMatch(
      /^\| Kubernetes +\| `kubectl -n evenkeel logs deploy\/\S+ [^|]+\| `kubectl cnpg psql (\S+)-postgresql .* \w+`/m,
    );
    expect(head).toMatch(
      /^\| compose +\| `docker compose -f \S+ logs [^|]+\| `docker compose -f \S+ exec postgres psql /m,
    );
    expect(head).toMatch(/^\| one machine +\| `npm start [^`]+` +\| `\(\. \.data\/\S+\.env; psql "\$DATABASE_URL"\)`/m);
  });

  /** Typed in a checkout alone: by who builds a release, or as a buyer. */
  const OF_CHECKOUTS = ['compat:check', 'restore:rehearse', 'offer:check', 'agent'];
  const forms = [
    ...pages()
      .get('commands')!
      .matchAll(/^\| `([\w:]+)/gm),
  ].map(([, command]) => command!);

  it.each([...pages()].filter(([name]) => name !== 'commands'))(
    '%s has commands for containers, too',
    (_name, text) => {
      const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, command]) => command!);
      const commands = named.filter((command) => !OF_CHECKOUTS.includes(command));
      expect(commands.filter((command) => !forms.includes(command))).toEqual([]);
      if (commands.length > 0) expect(text).toContain(`](${'commands'}.md)`);
    },
  );
});
