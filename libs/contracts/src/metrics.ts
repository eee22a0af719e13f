/** Before the name of every metric of ours. */
export const METRIC_PREFIX = 'evenkeel_';

export interface MetricDescription {
  /** A gauge is of now; a counter and a histogram count from the start of the process. */
  type: 'counter' | 'gauge' | 'histogram';
  /** Beside `service`, the app, which every sample has. No label holds an id. */
  labels: readonly string[];
  help: string;
}

/** Figures that would take a page long to count exactly are counted up to this. */
export const COUNTED_MOST = 100_000;

/** Every metric of ours, by its name without the prefix; Node's own are beside them. */
export const METRICS = {
  http_requests_total: {
    type: 'counter',
    labels: ['route', 'method', 'status'],
    help: 'Answered requests by template of the route (unknown: no route has the address), method and class of status.',
  },
  http_request_seconds: {
    type: 'histogram',
    labels: ['route', 'method', 'status'],
    help: 'From the head of a request to its answer, by the same labels.',
  },
  payments: {
    type: 'gauge',
    labels: ['state'],
    help:
      'Payments by state. settling, settlement_pending, needs_reconciliation: how many there are in the ledger now, from ' +
      'the worker. settled, settlement_failed: how many this process has moved there since it started.',
  },
  payments_oldest_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Age of the oldest payment that is settling or waits for its settlement; 0 when none does.',
  },
  facilitator_seconds: {
    type: 'histogram',
    labels: ['call', 'outcome'],
    help: 'Calls to the facilitator by what was called and class of the status that came back, or no_answer.',
  },
  facilitator_unusable_total: {
    type: 'counter',
    labels: ['call', 'status'],
    help: 'Answers of the facilitator that decide nothing, such as redirects and pages, by what was called and status.',
  },
  settle_contradictions_total: {
    type: 'counter',
    labels: [],
    help: 'Settle answers that claim success for another payer or network, or by what paid another payment.',
  },
  reconciliation_differences: {
    type: 'gauge',
    labels: [],
    help: 'What the last reconciliation of this process found for a person to look at; absent before the first.',
  },
  webhooks_total: {
    type: 'counter',
    labels: ['type', 'result'],
    help: 'Webhooks of the payment provider by type of event and result; other: types that are not handled.',
  },
  unlinked_events: {
    type: 'gauge',
    labels: [],
    help: `Events of the payment provider of which nobody knows whose they are; ${COUNTED_MOST} stands for more.`,
  },
  provider_differences: {
    type: 'gauge',
    labels: ['kind'],
    help: 'What the last reconciliation with the payment provider found, by its kind; absent before the first.',
  },
  reconciled_at_seconds: {
    type: 'gauge',
    labels: [],
    help: 'When the last complete report of the reconciliation with the payment provider was written, in seconds since 1970.',
  },
  departures_waiting: {
    type: 'gauge',
    labels: [],
    help: 'Users who have left, and whom the payment provider still knows.',
  },
  mails_waiting: {
    type: 'gauge',
    labels: [],
    help: 'Mails that are written and not sent yet.',
  },
  outbox_unpublished: {
    type: 'gauge',
    labels: [],
    help: `Events in the outbox that are not published; ${COUNTED_MOST} stands for more.`,
  },
  outbox_oldest_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Age of the oldest event that is not published; 0 when none is.',
  },
  relay_active: {
    type: 'gauge',
    labels: [],
    help: '1 in the process whose relay publishes the outbox: of all processes of a service one.',
  },
  consumer_lag: {
    type: 'gauge',
    labels: ['subscription'],
    help: 'Events of its topics that the subscription has not read. What is parked is read.',
  },
  consumer_lag_seconds: {
    type: 'gauge',
    labels: ['subscription'],
    help: 'Time since the subscription had read all events of its topic, as far as it has looked.',
  },
  parked_aggregates: {
    type: 'gauge',
    labels: ['subscription'],
    help: 'Aggregates of which an event could not be applied: they wait for npm run events:replay.',
  },
  worker_duty_seconds: {
    type: 'histogram',
    labels: ['duty', 'outcome'],
    help: 'Runs of the background jobs: done or failed.',
  },
  circuit_open: {
    type: 'gauge',
    labels: ['dependency'],
    help: '1 while calls to this dependency are not tried, because too many failed.',
  },
  ratelimit_degraded_total: {
    type: 'counter',
    labels: [],
    help: 'Requests whose rate limit was decided by this process alone, because Redis did not answer.',
  },
  db_pool: {
    type: 'gauge',
    labels: ['state'],
    help: 'Connections to the database: idle, busy; and waiting, the requests that wait for one.',
  },
  scrape_missing: {
    type: 'gauge',
    labels: ['source'],
    help: '1 while the figures of this source are left out of the page, because they could not be read in time.',
  },
} as const satisfies Record<string, MetricDescription>;

export type MetricName = keyof typeof METRICS;
