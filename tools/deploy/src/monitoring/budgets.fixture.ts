import type { Fired, Played } from './played.fixture';

/** A group of requests with a budget of its own, and a route that counts for it. */
interface Surface {
  surface: string;
  service: string;
  route: string;
  /** Seconds, as buckets have them: what takes longer is slow. */
  slowFrom: string;
}

export const SURFACES: readonly Surface[] = [
  { surface: 'paid', service: 'agent-gateway', route: '/agent/v1/habits/plan', slowFrom: '2.5' },
  { surface: 'discovery', service: 'agent-gateway', route: '/llms.txt', slowFrom: '0.25' },
  { surface: 'people', service: 'accounts', route: '/v1/habits', slowFrom: '1' },
  { surface: 'billing', service: 'billing', route: '/v1/billing/checkout', slowFrom: '2.5' },
  { surface: 'webhooks', service: 'billing', route: '/v1/billing/webhook/:provider', slowFrom: '1' },
  { surface: 'admin', service: 'reporting', route: '/v1/admin/revenue/summary', slowFrom: '1' },
];

/** Of a thousand requests of a minute: how many fail, and how many are slow. */
interface Minute {
  failed: number;
  slow: number;
}

const GOOD: Minute = { failed: 0, slow: 0 };
const REQUESTS = 1_000;
/** Longer than the longest window of a budget. */
const LONG_MINUTES = 420;
/** Below the shortest of them. */
const EVERY = '4m';
const at = `${LONG_MINUTES}m`;

/** The counters of a surface, for phases of equal minutes. */
function countersOf({ service, route, slowFrom }: Surface, ...phases: [Minute, number][]): Record<string, string> {
  const labels = (status: string) => `service="${service}",route="${route}",method="POST",status="${status}"`;
  const added = (each: (minute: Minute) => number): string => {
    let total = 0;
    const parts = phases.map(([minute, minutes], index) => {
      const from = total + (index === 0 ? 0 : each(minute));
      const count = index === 0 ? minutes : minutes - 1;
      total = from + each(minute) * count;
      return `${from}+${each(minute)}x${count}`;
    });
    return parts.join(' ');
  };
  return {
    [`evenkeel_http_requests_total{${labels('2xx')}}`]: added(({ failed }) => REQUESTS - failed),
    [`evenkeel_http_requests_total{${labels('5xx')}}`]: added(({ failed }) => failed),
    [`evenkeel_http_request_seconds_count{${labels('2xx')}}`]: added(() => REQUESTS),
    [`evenkeel_http_request_seconds_bucket{${labels('2xx')},le="${slowFrom}"}`]: added(({ slow }) => REQUESTS - slow),
    // Buckets beside that of the surface: all were faster than the next, none than the one before.
    [`evenkeel_http_request_seconds_bucket{${labels('2xx')},le="10"}`]: added(() => REQUESTS),
    [`evenkeel_http_request_seconds_bucket{${labels('2xx')},le="0.001"}`]: added(() => 0),
  };
}

function both(surface: string, severity: Fired['severity'], window: string, failed: string, slow: string): Fired[] {
  const labels = { surface };
  return [
    { alert: 'ErrorBudget', severity, labels, summary: `${failed} of the ${surface} requests of ${window} fail.` },
    { alert: 'LatencyBudget', severity, labels, summary: `${slow} of the ${surface} requests of ${window} are slow.` },
  ];
}

const others = (surface: Surface): Surface[] => SURFACES.filter((one) => one !== surface);

/** They are well, and callers invent ten times as many addresses: those are no requests of any surface. */
function well(surfaces: readonly Surface[]): Record<string, string> {
  const invented = [...new Set(SURFACES.map(({ service }) => service))].map((service) => [
    `evenkeel_http_requests_total{service="${service}",route="unknown",method="GET",status="4xx"}`,
    `0+${10 * REQUESTS}x${LONG_MINUTES}`,
  ]);
  const good = surfaces.map((one) => countersOf(one, [GOOD, LONG_MINUTES]));
  return Object.assign(Object.fromEntries(invented) as Record<string, string>, ...good) as Record<string, string>;
}

/** Of each surface one course for each of its alerts, in which nothing else fires: all other surfaces are well. */
const ofSurfaces = SURFACES.flatMap((surface): [string, Played][] => {
  const { surface: name } = surface;
  // Two in a hundred of the last hour are four in a thousand of six hours.
  const sudden: Minute = { failed: 20, slow: 200 };
  const steady: Minute = { failed: 10, slow: 100 };
  const little: Minute = { failed: 1, slow: 10 };
  return [
    [
      `${name}: much fails and is slow, for an hour`,
      {
        series: { ...well(others(surface)), ...countersOf(surface, [GOOD, LONG_MINUTES - 70], [sudden, 70]) },
        at,
        every: EVERY,
        firing: both(name, 'page', '1h', '2%', '20%'),
      },
    ],
    [
      `${name}: a little more than the budget fails and is slow, for long`,
      {
        series: { ...well(others(surface)), ...countersOf(surface, [steady, LONG_MINUTES]) },
        at,
        every: EVERY,
        firing: both(name, 'ticket', '6h', '1%', '10%'),
      },
    ],
    [
      `${name}: the budget is used, and no more`,
      {
        series: { ...well(others(surface)), ...countersOf(surface, [little, LONG_MINUTES]) },
        at,
        every: EVERY,
        firing: [],
      },
    ],
  ];
});

const [paid] = SURFACES as [Surface, ...Surface[]];
const outage: Minute = { failed: 500, slow: 1_000 };
const NIGHT = 'service="reporting",route="/v1/admin/revenue/summary",method="GET"';

/** Of the two budgets of each surface. */
export const BUDGETS: Record<string, Played> = {
  ...Object.fromEntries(ofSurfaces),
  'an outage that is over': {
    series: countersOf(paid, [GOOD, LONG_MINUTES - 70], [outage, 25], [GOOD, 45]),
    at,
    every: EVERY,
    firing: [],
  },
  'a bad moment': {
    series: countersOf(paid, [GOOD, LONG_MINUTES - 5], [{ failed: 20, slow: 200 }, 5]),
    at,
    every: EVERY,
    firing: [],
  },
  'one of few calls fails at night': {
    series: { [`evenkeel_http_requests_total{${NIGHT},status="5xx"}`]: '0 1x70' },
    at: '5m',
    firing: [],
  },
  'one of few calls is slow at night': {
    series: {
      [`evenkeel_http_requests_total{${NIGHT},status="2xx"}`]: '0 1x70',
      [`evenkeel_http_request_seconds_count{${NIGHT},status="2xx"}`]: '0 1x70',
      [`evenkeel_http_request_seconds_bucket{${NIGHT},status="2xx",le="1"}`]: '0x71',
    },
    at: '5m',
    firing: [],
  },
  'calls without a route fail and are slow, as callers invent them': {
    series: Object.assign(
      well(SURFACES),
      ...SURFACES.map((surface) =>
        countersOf({ ...surface, route: 'unknown' }, [{ failed: 500, slow: 500 }, LONG_MINUTES]),
      ),
    ) as Record<string, string>,
    at,
    every: EVERY,
    firing: [],
  },
};
