import type { Course } from './courses.fixture';

/** A group of requests with a budget of its own, and a route of it. */
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

/** Of the thousand requests of a minute: how many fail, and how many are slow; for so many minutes. */
type Phase = [failed: number, slow: number, minutes: number];

const REQUESTS = 1_000;
/** Longer than the longest window of a budget. */
const LONG = 420;

/** The counters of a surface, for phases one after the other. */
function countersOf({ service, route, slowFrom }: Surface, ...phases: Phase[]): Record<string, string> {
  const labels = (status: string) => `service="${service}",route="${route}",method="POST",status="${status}"`;
  const added = (each: (phase: Phase) => number): string => {
    let total = 0;
    const parts = phases.map((phase, index) => {
      const [from, count] = index === 0 ? [0, phase[2]] : [total + each(phase), phase[2] - 1];
      total = from + each(phase) * count;
      return `${from}+${each(phase)}x${count}`;
    });
    return parts.join(' ');
  };
  const bucket = (le: string) => `evenkeel_http_request_seconds_bucket{${labels('2xx')},le="${le}"}`;
  return {
    [`evenkeel_http_requests_total{${labels('2xx')}}`]: added(([failed]) => REQUESTS - failed),
    [`evenkeel_http_requests_total{${labels('5xx')}}`]: added(([failed]) => failed),
    [`evenkeel_http_request_seconds_count{${labels('2xx')}}`]: added(() => REQUESTS),
    [bucket(slowFrom)]: added(([, slow]) => REQUESTS - slow),
    // Buckets beside that of the surface: all were faster than the next, none than the one before.
    [bucket('10')]: added(() => REQUESTS),
    [bucket('0.001')]: added(() => 0),
  };
}

/** Callers who invent addresses, ten times as many, of which half fail and are slow: those are no requests of any surface. */
const INVENTED = SURFACES.map((surface) =>
  countersOf({ ...surface, route: 'unknown' }, [REQUESTS / 2, REQUESTS / 2, LONG]),
);

function course(surface: Surface, phases: Phase[], fires: Course['fires'] = []): Course {
  const others = SURFACES.filter((one) => one !== surface).map((one) => countersOf(one, [0, 0, LONG]));
  const series = Object.assign({}, ...INVENTED, ...others, countersOf(surface, ...phases)) as Course['series'];
  // Looks come more often than the shortest window of a budget is long.
  return { series, at: `${LONG}m`, every: '4m', fires };
}

function both(surface: string, severity: string, window: string, failed: string, slow: string): string[] {
  return [
    `${severity} ErrorBudget{surface="${surface}"} ${failed} of the ${surface} requests of ${window} fail.`,
    `${severity} LatencyBudget{surface="${surface}"} ${slow} of the ${surface} requests of ${window} are slow.`,
  ];
}

const [paid] = SURFACES as [Surface, ...Surface[]];
const NIGHT = 'service="reporting",route="/v1/admin/revenue/summary",method="GET"';

/** Two in a hundred of the last hour are four in a thousand of six hours. */
const SUDDEN: Phase[] = [
  [0, 0, LONG - 70],
  [20, 200, 70],
];

/** One course for each alert, in which nothing else fires. */
export const BUDGETS: Record<string, Course> = {
  ...Object.fromEntries(
    SURFACES.map((surface) => [
      `${surface.surface}: much fails and is slow, for an hour`,
      course(surface, SUDDEN, both(surface.surface, 'page', '1h', '2%', '20%')),
    ]),
  ),
  'a little more than the budget, for long': course(paid, [[10, 100, LONG]], both('paid', 'ticket', '6h', '1%', '10%')),
  'the budget is used, and no more': course(paid, [[1, 10, LONG]]),
  'an outage that is over': course(paid, [
    [0, 0, LONG - 70],
    [500, 1_000, 25],
    [0, 0, 45],
  ]),
  'a bad moment': course(paid, [
    [0, 0, LONG - 5],
    [20, 200, 5],
  ]),
  'one of few calls fails and is slow at night': {
    series: {
      [`evenkeel_http_requests_total{${NIGHT},status="5xx"}`]: '0 1x70',
      [`evenkeel_http_request_seconds_count{${NIGHT},status="2xx"}`]: '0 1x70',
      [`evenkeel_http_request_seconds_bucket{${NIGHT},status="2xx",le="1"}`]: '0x71',
    },
    at: '5m',
  },
};
