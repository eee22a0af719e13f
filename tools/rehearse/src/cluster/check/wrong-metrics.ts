import { METRIC_PREFIX, METRICS, type AppName, type MetricName } from '@evenkeel/contracts';
import { askedOfPrometheus, metricNames, OF_OTHERS, recordedNames } from '@evenkeel/deploy/monitoring';
import { scrape, type ScrapedPage } from '@evenkeel/platform/testing';
import type { Replica } from '../processes/cluster';
import type { Read } from './effects';

/** Absent until a reconciliation has run. */
const BEGIN_LATER: readonly MetricName[] = ['reconciliation_differences', 'provider_differences'];
/** Of webhooks whose event is stored. */
const STORED = ['applied', 'stale_event', 'unmatched_customer'];

/** The metrics of one process. */
export interface ShownBy {
  app: AppName;
  kind: Replica['kind'];
  name: string;
  page: ScrapedPage;
}

export function scrapeAll(replicas: readonly Replica[]): Promise<ShownBy[]> {
  return Promise.all(
    replicas.map(async ({ app, kind, process, internalUrl }) => ({
      app,
      kind,
      name: process.name,
      page: await scrape(internalUrl),
    })),
  );
}

/**
 * Where metrics of processes that have served since the databases were made do not say what those hold, and what rules and
 * dashboards ask for in vain: a sentence each.
 */
export async function wrongMetrics(read: Read, shown: readonly ShownBy[]): Promise<string[]> {
  return [...outOfPlace(shown), ...askedInVain(shown), ...(await otherCounts(read, shown))];
}

function outOfPlace(shown: readonly ShownBy[]): string[] {
  return shown.flatMap(({ name, kind, page }) => {
    const program = kind === 'http' ? 'main' : 'worker';
    const ours = new Set(page.samples.flatMap((sample) => metricOf(sample.name) ?? []));
    return [...ours].flatMap((metric) => {
      const known = METRICS[metric as MetricName];
      if (known === undefined) return [`${name} shows ${metric}, which is in no catalogue`];
      return known.from.includes(program) ? [] : [`${name} shows ${metric}, which is of ${known.from}`];
    });
  });
}

function metricOf(sample: string): string | undefined {
  const [, metric] = new RegExp(`^${METRIC_PREFIX}(.*?)(?:_bucket|_sum|_count)?$`).exec(sample) ?? [];
  return metric;
}

function askedInVain(shown: readonly ShownBy[]): string[] {
  const known = new Set([
    ...shown.flatMap(({ page }) => page.samples.map(({ name }) => name)),
    ...recordedNames(),
    ...OF_OTHERS,
    ...BEGIN_LATER.map((name) => `${METRIC_PREFIX}${name}`),
  ]);
  return askedOfPrometheus().flatMap(({ place, expr }) =>
    metricNames(expr).flatMap((name) => (known.has(name) ? [] : [`${place} asks for ${name}, which no process shows`])),
  );
}

async function otherCounts(read: Read, shown: readonly ShownBy[]): Promise<string[]> {
  const sum = (app: AppName, metric: MetricName, labels: Record<string, string>): number =>
    values(shown, app, metric, labels).reduce((total, value) => total + value, 0);
  const count = async (app: AppName, rows: string): Promise<number> =>
    Number((await read(app, `SELECT count(*)::integer AS rows FROM ${rows}`))[0]!['rows']);
  const registered = { route: '/v1/auth/register', method: 'POST', status: '2xx' };
  const compared: [what: string, metrics: number, rows: number][] = [
    [
      'settled payments',
      sum('agent-gateway', 'payments', { state: 'settled' }),
      await count('agent-gateway', `audit.payments WHERE state = 'settled'`),
    ],
    [
      'stored webhooks',
      STORED.reduce((total, result) => total + sum('billing', 'webhooks_total', { result }), 0),
      await count('billing', `audit.provider_events WHERE id NOT LIKE 'read:%'`),
    ],
    ['registered people', sum('accounts', 'http_requests_total', registered), await count('accounts', 'audit.users')],
  ];
  for (const app of ['agent-gateway', 'accounts', 'billing'] as const) {
    const [waiting, rows] = [values(shown, app, 'outbox_unpublished', {}), `audit.outbox WHERE published_at IS NULL`];
    compared.push([`unpublished events of ${app}`, Math.max(...waiting), await count(app, rows)]);
    compared.push([`relays of ${app} at work`, sum(app, 'relay_active', {}), 1]);
  }
  return compared.flatMap(([what, metrics, rows]) =>
    metrics === rows ? [] : [`${what}: ${metrics} by the metrics, and ${rows} in truth`],
  );
}

/** Of each process that shows it. */
function values(shown: readonly ShownBy[], app: AppName, metric: MetricName, labels: Record<string, string>): number[] {
  return shown
    .filter((one) => one.app === app)
    .flatMap(({ page }) => page.of(`${METRIC_PREFIX}${metric}`, labels).map(({ value }) => value));
}
