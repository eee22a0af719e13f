import { APP_NAMES, openApiParts } from '@evenkeel/contracts';
import { timings } from '@evenkeel/platform/observability';
import { SURFACES } from './budgets.fixture';
import { dashboards, expressionsOf, ruleFiles, rulesOf } from './monitoring-files';

/** Service and template of every documented route, as the label `route` has it. */
const ROUTES = [...openApiParts()].flatMap(([service, { paths }]) =>
  Object.keys(paths).map((path) => ({ service, route: path.replaceAll(/\{(\w+)\}/g, ':$1') })),
);
const UNKNOWN = 'unknown';

const rules = rulesOf(ruleFiles());
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...[...dashboards()].flatMap(([name, dashboard]) => expressionsOf(name, dashboard).map(({ expr }) => expr)),
];

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

/** Alternatives of a matcher that fit no route: each must name one. */
function unroutedIn(matcher: Matcher): string[] {
  const alternatives = matcher.text.split(/\|(?![^(]*\))/);
  const known = [...ROUTES.map(({ route }) => route), UNKNOWN];
  return alternatives.filter((text) => !known.some((route) => fits({ ...matcher, operator: '=~', text }, route)));
}

const surfacesOf = (service: string, route: string): string[] =>
  rules
    .filter(({ record }) => record === 'evenkeel:requests:rate5m')
    .filter(({ expr }) =>
      matchersIn(expr).every((matcher) => fits(matcher, matcher.label === 'service' ? service : route)),
    )
    .map(({ labels }) => labels!.surface!);

it('every route that is asked for is one of ours', () => {
  const matchers = expressions.flatMap(matchersIn).filter(({ label }) => label === 'route');
  expect(matchers.length).toBeGreaterThan(20);
  expect([...new Set(matchers.flatMap(unroutedIn))]).toEqual([]);
  const sample = { label: 'route', operator: '=', text: '/v1/billing/webhook/stripe' };
  expect(unroutedIn(sample)).toEqual(['/v1/billing/webhook/stripe']);
  expect(unroutedIn({ ...sample, operator: '!~', text: '/agent/v1/(habits|prices)/.+|/mcp|/mpc' })).toEqual(['/mpc']);
});

it('every route of ours counts for one surface, and an unknown one for none', () => {
  expect(ROUTES.length).toBeGreaterThan(60);
  expect(ROUTES.filter(({ service, route }) => surfacesOf(service, route).length !== 1)).toEqual([]);
  expect(APP_NAMES.flatMap((service) => surfacesOf(service, UNKNOWN))).toEqual([]);
});

it('the surfaces of the courses have routes of theirs', () => {
  for (const { surface, service, route } of SURFACES) expect(surfacesOf(service, route)).toEqual([surface]);
  expect([...new Set(rules.flatMap(({ labels }) => labels?.surface ?? []))].sort()).toEqual(
    SURFACES.map(({ surface }) => surface).sort(),
  );
});

it('what fails and what is slow is counted for the routes of its surface', () => {
  const named = ({ expr }: { expr: string }) =>
    matchersIn(expr)
      .filter(({ label }) => label === 'service' || label === 'route')
      .map(({ label, operator, text }) => `${label}${operator}${text}`);
  for (const { surface } of SURFACES) {
    const own = rules.filter(({ labels }) => labels?.surface === surface);
    expect(own.map(({ record }) => record)).toEqual(
      ['requests', 'failed', 'slow'].map((what) => `evenkeel:${what}:rate5m`),
    );
    expect(new Set(own.flatMap(named)).size).toBe(2);
  }
});

it('every bucket that is asked for is there', async () => {
  const seconds = timings('http_request_seconds');
  seconds.observe(1);
  const { values } = await seconds.get();
  const bounds = values.flatMap(({ labels }) => (labels.le === undefined ? [] : [String(labels.le)]));
  const asked = expressions.flatMap(matchersIn).filter(({ label }) => label === 'le');
  expect(asked.length).toBeGreaterThanOrEqual(SURFACES.length);
  expect(asked.filter(({ text }) => !bounds.includes(text))).toEqual([]);
});

it('every service that is asked for is one of ours', () => {
  const asked = expressions.flatMap(matchersIn).filter(({ label }) => label === 'service');
  expect(asked.filter((matcher) => !APP_NAMES.some((app) => fits(matcher, app)))).toEqual([]);
});
