import { APP_NAMES, METRIC_PREFIX, METRICS, type AppName } from '@evenkeel/contracts';
import { askedOfPrometheus, metricNames } from '@evenkeel/deploy/monitoring';
import { ScrapedPage } from '@evenkeel/platform/testing';
import type { Read } from './effects';
import { wrongMetrics, type ShownBy } from './wrong-metrics';

type Sample = [name: string, labels: string, value: number];

const pageOf = (samples: readonly Sample[]): ScrapedPage =>
  new ScrapedPage(samples.map(([name, labels, value]) => `# HELP ${name} x\n${name}{${labels}} ${value}\n`).join(''));

/** Everything that is asked for, once, by a process that may show it. */
function shownBy(app: AppName, kind: ShownBy['kind'], own: Record<string, [labels: string, value: number]>): ShownBy {
  const program = kind === 'http' ? 'main' : 'worker';
  const asked = new Set(askedOfPrometheus().flatMap(({ expr }) => metricNames(expr)));
  const samples = [...asked].flatMap((name): Sample[] => {
    const metric = name.replace(METRIC_PREFIX, '').replace(/_(bucket|sum|count)$/, '') as keyof typeof METRICS;
    const isOurs = name.startsWith(METRIC_PREFIX);
    if (isOurs && (!METRICS[metric].from.includes(program) || metric in own)) return [];
    return [[name, `service="${app}"`, 0]];
  });
  const stated = Object.entries(own).map(([metric, [labels, value]]): Sample => [
    `${METRIC_PREFIX}${metric}`,
    `service="${app}",${labels}`,
    value,
  ]);
  return { app, kind, name: `${app} ${kind}`, page: pageOf([...samples, ...stated]) };
}

const figures = {
  main: {
    payments: ['state="settled"', 2],
    webhooks_total: ['type="invoice.paid",result="applied"', 3],
    http_requests_total: ['route="/v1/auth/register",method="POST",status="2xx"', 4],
  } as Record<string, [string, number]>,
  worker: { outbox_unpublished: ['', 0], relay_active: ['', 1] } as Record<string, [string, number]>,
};

const cluster = (change: Partial<typeof figures> = {}): ShownBy[] =>
  APP_NAMES.flatMap((app) => [
    shownBy(app, 'http', { ...figures.main, ...change.main }),
    shownBy(app, 'worker', { ...figures.worker, ...change.worker }),
  ]);

const rows: Record<string, number> = { 'audit.payments': 2, 'audit.provider_events': 3, 'audit.users': 4 };
const read = (async (_app, sql) => [{ rows: rows[/FROM (\S+)/.exec(sql)![1]!] ?? 0 }]) as Read;

it('finds nothing where processes show what the databases hold', async () => {
  expect(await wrongMetrics(read, cluster())).toEqual([]);
});

it.each<[string, ShownBy[], string]>([
  [
    'a payment that was counted twice',
    cluster({ main: { payments: ['state="settled"', 3] } }),
    'settled payments: 3 by the metrics, and 2 in truth',
  ],
  [
    'a webhook that was not counted',
    cluster({ main: { webhooks_total: ['type="invoice.paid",result="applied"', 2] } }),
    'stored webhooks: 2 by the metrics, and 3 in truth',
  ],
  [
    'two relays at work',
    [...cluster(), shownBy('billing', 'worker', figures.worker)],
    'relays of billing at work: 2 by the metrics, and 1 in truth',
  ],
  [
    'a metric of the worker in main',
    cluster({ main: { relay_active: ['', 0] } }),
    'agent-gateway http shows relay_active, which is of worker',
  ],
  [
    'what nobody shows any more',
    cluster().filter(({ kind }) => kind === 'http'),
    'OutboxLag asks for evenkeel_outbox_oldest_seconds, which no process shows',
  ],
])('finds %s', async (_what, shown, sentence) => {
  expect(await wrongMetrics(read, shown)).toContain(sentence);
});
