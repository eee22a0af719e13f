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

const described =
  (type: MetricDescription['type']) =>
  (help: string, labels: string[] = []): MetricDescription => ({ type, labels, help });
const counter = described('counter');
const gauge = described('gauge');
const histogram = described('histogram');

/** Every metric of ours, by its name without the prefix; Node's own are beside them. */
export const METRICS = {
  http_requests_total: counter(
    'Answered requests by template of the route (unknown: no route has the address), method and class of status.',
    ['route', 'method', 'status'],
  ),
  http_request_seconds: histogram('From the head of a request to its answer, by the same labels.', [
    'route',
    'method',
    'status',
  ]),
  payments: gauge(
    'Payments by state. settling, settlement_pending, needs_reconciliation: how many there are in the ledger now, from ' +
      'the worker. settled, settlement_failed: how many this process has moved there since it started.',
    ['state'],
  ),
  payments_oldest_seconds: gauge(
    'Age of the oldest payment that is settling or waits for its settlement; 0 when none does.',
  ),
  facilitator_seconds: histogram(
    'Calls to the facilitator by what was called and class of the status that came back, or no_answer.',
    ['call', 'outcome'],
  ),
  facilitator_unusable_total: counter(
    'Answers of the facilitator that decide nothing, such as redirects and pages, by what was called and status.',
    ['call', 'status'],
  ),
  settle_contradictions_total: counter(
    'Settle answers that claim success for another payer or network, or by what paid another payment.',
  ),
  reconciliation_differences: gauge(
    'What the last reconciliation of this process found for a person to look at; absent before the first.',
  ),
  webhooks_total: counter(
    'Webhooks of the payment provider by type of event and result; other: types that are not handled.',
    ['type', 'result'],
  ),
  unlinked_events: gauge(
    'Events of the payment provider in the last 30 days of which nobody knows whose they are; ' +
      `${COUNTED_MOST} stands for more.`,
  ),
  provider_differences: gauge(
    'What the last reconciliation with the payment provider found, by its kind; absent before the first.',
    ['kind'],
  ),
  reconciled_at_seconds: gauge(
    'When the last complete report of the reconciliation with the payment provider was written, in seconds since 1970.',
  ),
  departures_waiting: gauge('Users who have left, and whom the payment provider still knows.'),
  mails_waiting: gauge('Mails that are written and not sent yet.'),
  outbox_unpublished: gauge(`Events in the outbox that are not published; ${COUNTED_MOST} stands for more.`),
  outbox_oldest_seconds: gauge('Age of the oldest event that is not published; 0 when none is.'),
  relay_active: gauge('1 in the process whose relay publishes the outbox: of all processes of a service one.'),
  consumer_lag: gauge('Events of its topics that the subscription has not read. What is parked is read.', [
    'subscription',
  ]),
  consumer_lag_seconds: gauge(
    'Time since the subscription had read all events of its topic, as far as it has looked.',
    ['subscription'],
  ),
  parked_aggregates: gauge('Aggregates of which an event could not be applied: they wait for npm run events:replay.', [
    'subscription',
  ]),
  worker_duty_seconds: histogram('Runs of the background jobs: done or failed.', ['duty', 'outcome']),
  circuit_open: gauge('1 while calls to this dependency are not tried, because too many failed.', ['dependency']),
  ratelimit_degraded_total: counter(
    'Requests whose rate limit was decided by this process alone, because Redis did not answer.',
  ),
  db_pool: gauge('Connections to the database: idle, busy; and waiting, the requests that wait for one.', ['state']),
  scrape_missing: gauge(
    '1 while the figures of this source are left out of the page, because they could not be read in time.',
    ['source'],
  ),
} satisfies Record<string, MetricDescription>;

export type MetricName = keyof typeof METRICS;
