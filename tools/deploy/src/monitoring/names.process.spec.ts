import { METRIC_PREFIX, METRICS } from '@evenkeel/contracts';
import { collectDefaultMetrics, Registry } from 'prom-client';
import {
  askedOfPrometheus,
  dashboards,
  OF_OTHERS,
  recordedNames,
  type Expression,
  metricNames,
} from './monitoring-files';
import { Promtool } from './promtool.fixture';

const asked = askedOfPrometheus();

/** All that our processes show, that rules record, and that others show. */
function knownNames(): Set<string> {
  const own = Object.entries(METRICS).flatMap(([name, { type }]) => {
    const full = `${METRIC_PREFIX}${name}`;
    return type === 'histogram' ? ['_bucket', '_count', '_sum'].map((part) => `${full}${part}`) : [full];
  });
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const ofNode = registry.getMetricsAsArray().map(({ name }) => name);
  registry.clear();
  return new Set([...own, ...ofNode, ...recordedNames(), ...OF_OTHERS]);
}

/** Where a name is asked for that nobody shows. */
function unknownNames(expressions: readonly Expression[]): string[] {
  const known = knownNames();
  return expressions.flatMap(({ place, expr }) =>
    metricNames(expr).flatMap((name) => (known.has(name) ? [] : [`${place}: ${name}`])),
  );
}

/** Whether Prometheus can read them: as rules, which is what promtool checks. */
async function readable(expressions: readonly Expression[]): Promise<boolean> {
  const recorded = expressions.map(({ expr }, index) => ({ record: `read:${index}`, expr }));
  return (await Promtool.find()).check({ groups: [{ name: 'read', rules: recorded }] }).code === 0;
}

it('every expression of rules and dashboards can be read', async () => {
  expect(asked.length).toBeGreaterThan(80);
  expect(await readable(asked)).toBe(true);
  expect(await readable([...asked, { place: 'a sample', expr: 'rate(up[5m]' }])).toBe(false);
}, 300_000);

it('and names only what is there', () => {
  expect(unknownNames(asked)).toEqual([]);
  const sample = {
    place: 'a sample',
    expr: 'sum by (service) (rate(evenkeel_http_request_total{service="a"}[5m])) > 0',
  };
  expect(unknownNames([sample])).toEqual(['a sample: evenkeel_http_request_total']);
});

it('every metric of ours is in a rule or on a dashboard', () => {
  const named = new Set(asked.flatMap(({ expr }) => metricNames(expr)));
  const unseen = Object.keys(METRICS).filter(
    (name) => ![...named].some((one) => one.startsWith(`${METRIC_PREFIX}${name}`)),
  );
  expect(unseen).toEqual([]);
});

it('every panel has a title, a description, a unit and a legend', () => {
  for (const { panels } of dashboards().values()) {
    const shown = panels.filter(({ type }) => type !== 'row');
    for (const panel of shown) {
      expect(panel).toMatchObject({
        title: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\.$/),
        fieldConfig: { defaults: { unit: expect.any(String) } },
      });
      for (const { legendFormat } of panel.targets!) expect(legendFormat).toMatch(/\S/);
    }
  }
});

it.each([
  ['sum by (a, b) (rate(x_total{c=~"d(e)"}[5m])) / on (a) group_left y > 2', ['x_total', 'y']],
  ['max(up{job="a"}) or vector(0)', ['up']],
  ['evenkeel:slow:rate5m unless m offset 1h', ['evenkeel:slow:rate5m', 'm']],
])('reads the names of %s', (expr, names) => expect(metricNames(expr)).toEqual(names));
