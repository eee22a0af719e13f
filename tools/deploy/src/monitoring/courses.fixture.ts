import { APP_NAMES } from '@evenkeel/contracts';
import { BUDGETS } from './budgets.fixture';
import { WEBHOOKS } from './webhooks.fixture';

/** An alert that fires, all of it. */
export interface Fired {
  alert: string;
  severity: 'page' | 'ticket';
  /** Labels beside the severity. */
  labels: Record<string, string>;
  summary: string;
}

/** Series, with their values from minute to minute; when to look, and the alerts that must then be there. */
export interface Played {
  series: Record<string, string>;
  at: string;
  /** Nothing else may be there. */
  firing: readonly Fired[];
  /** Days of minutes would take a minute to play: rules are evaluated so often. Default: every minute. */
  every?: string;
}

const page = (alert: string, labels: Fired['labels'], summary: string): Fired[] => [
  { alert, severity: 'page', labels, summary },
];
const ticket = (alert: string, labels: Fired['labels'], summary: string): Fired[] => [
  { alert, severity: 'ticket', labels, summary },
];

const duty = (outcome: string) =>
  `evenkeel_worker_duty_seconds_count{service="accounts",duty="erase_mails",outcome="${outcome}"}`;
const relay = (instance: string, service = 'billing') =>
  `evenkeel_relay_active{service="${service}",instance="${instance}"}`;

const up = (job: string) => `up{job="${job}-internal",instance="a"}`;
const RELAYING = ['agent-gateway', 'accounts', 'billing'];
const HALVES = APP_NAMES.flatMap((app) => [`${app}-http`, `${app}-worker`]);
const PROBE = 'probe_success{job="edge",instance="edge"}';
const UNREACHABLE = page(
  'EdgeUnreachable',
  { job: 'edge' },
  'The edge does not answer as clients ask it, or nobody asks.',
);
const [PROBED] = page(
  'EdgeUnreachable',
  { job: 'edge', instance: 'edge' },
  'The edge does not answer as clients ask it, or nobody asks.',
);

/** What is there while everything runs. A course says what differs. */
export const RUNNING: Readonly<Record<string, string>> = Object.fromEntries([
  ...HALVES.map((half) => [up(half), '1x3000']),
  ...RELAYING.map((service) => [relay('a', service), '1x3000']),
  [PROBE, '1x3000'],
]);

/** Everything that is away when the namespace is gone: each of the eight halves, each relay, and the edge. */
export const ALL_GONE: readonly Fired[] = [
  ...HALVES.flatMap((half) =>
    page('ServiceMissing', { job: `${half}-internal` }, `No process of ${half}-internal is known to Prometheus.`),
  ),
  ...RELAYING.flatMap((service) => page('RelayMissing', { service }, `No worker of ${service} publishes events.`)),
  ...UNREACHABLE,
];

/** Of each alert one course that makes it fire, and one near it that must not; by the file of its rule. */
export const COURSES: Record<string, Record<string, Played>> = {
  'budgets.yaml': BUDGETS,
  'events.yaml': {
    'an event waits for long': {
      series: { 'evenkeel_outbox_oldest_seconds{service="billing"}': '0+60x20' },
      at: '15m',
      firing: page('OutboxLag', { service: 'billing' }, 'An event of billing has waited 15m 0s to be published.'),
    },
    'events wait for a minute': {
      series: { 'evenkeel_outbox_oldest_seconds{service="billing"}': '0 90 0 90 0 90 0 0x20' },
      at: '15m',
      firing: [],
    },
    'no relay works': {
      series: { [relay('a')]: '1 0x20', [relay('b')]: '0x21' },
      at: '15m',
      firing: page('RelayMissing', { service: 'billing' }, 'No worker of billing publishes events.'),
    },
    'the workers of a service are gone, and their series with them': {
      series: { [relay('a', 'accounts')]: '1x5 stale' },
      at: '15m',
      firing: page('RelayMissing', { service: 'accounts' }, 'No worker of accounts publishes events.'),
    },
    'another relay has taken over': {
      series: { [relay('a')]: '1 0x20', [relay('b')]: '0 0 1x20' },
      at: '15m',
      firing: [],
    },
    'a consumer falls behind': {
      series: { 'evenkeel_consumer_lag{service="reporting",subscription="reporting"}': '0+100x30' },
      at: '25m',
      firing: page('ConsumerLag', { subscription: 'reporting' }, 'reporting has 2500 events to read.'),
    },
    'a consumer catches up': {
      series: { 'evenkeel_consumer_lag{service="reporting",subscription="reporting"}': '900 0x30' },
      at: '25m',
      firing: [],
    },
    'an event is parked': {
      series: { 'evenkeel_parked_aggregates{service="accounts",subscription="accounts"}': '1x10' },
      at: '5m',
      firing: page(
        'ParkedEvents',
        { subscription: 'accounts' },
        '1 aggregates of accounts wait for an event that could not be applied.',
      ),
    },
    'none is parked any more': {
      series: { 'evenkeel_parked_aggregates{service="accounts",subscription="accounts"}': '1 0x10' },
      at: '5m',
      firing: [],
    },
  },
  'money.yaml': {
    'a payment needs a person': {
      series: { 'evenkeel_payments{service="agent-gateway",state="needs_reconciliation"}': '1x30' },
      at: '20m',
      firing: page('UncertainPayments', {}, '1 payments have an outcome that only a person can find out.'),
    },
    'payments were settled and have failed': {
      series: {
        'evenkeel_payments{service="agent-gateway",state="settlement_failed"}': '0+9x30',
        'evenkeel_payments{service="agent-gateway",state="settled"}': '0+999x30',
      },
      at: '20m',
      firing: [],
    },
    'payments do not get on': {
      series: { 'evenkeel_payments{service="agent-gateway",state="settlement_pending"}': '50x30' },
      at: '25m',
      firing: page('PendingPayments', {}, '50 payments wait for their outcome.'),
    },
    'payments get on': {
      series: { 'evenkeel_payments{service="agent-gateway",state="settlement_pending"}': '50 3 50 3 50 3x30' },
      at: '25m',
      firing: [],
    },
    'the facilitator names another payer': {
      series: { 'evenkeel_settle_contradictions_total{service="agent-gateway"}': '0 0 1x30' },
      at: '10m',
      firing: page(
        'SettleContradictions',
        {},
        'The facilitator has claimed success for another payment, payer or network.',
      ),
    },
    'it named one long ago': {
      series: { 'evenkeel_settle_contradictions_total{service="agent-gateway"}': '1x90' },
      at: '80m',
      firing: [],
    },
    'the ledger differs': {
      series: { 'evenkeel_reconciliation_differences{service="agent-gateway"}': '0 2x5' },
      at: '3m',
      firing: page('ReconciliationDifferences', {}, '2 payments differ from what facilitator and chain say.'),
    },
    'the ledger agrees': {
      series: { 'evenkeel_reconciliation_differences{service="agent-gateway"}': '2 0x5' },
      at: '3m',
      firing: [],
    },
    'calls to Stripe are stopped': {
      series: { 'evenkeel_circuit_open{service="billing",dependency="stripe"}': '0 1x10' },
      at: '6m',
      firing: page(
        'CircuitOpen',
        { service: 'billing', dependency: 'stripe' },
        'billing does not call stripe, which has failed too often.',
      ),
    },
    'they were for a moment': {
      series: { 'evenkeel_circuit_open{service="billing",dependency="stripe"}': '0 1 0x10' },
      at: '6m',
      firing: [],
    },
    'the key of the facilitator is wrong': {
      series: {
        'evenkeel_facilitator_unusable_total{service="agent-gateway",instance="a",call="verify",status="401"}':
          '0+1x30',
      },
      at: '25m',
      firing: page(
        'FacilitatorUnusable',
        { call: 'verify', status: '401' },
        'The facilitator answers verify with 401, which decides nothing: 15 times in 15 minutes.',
      ),
    },
    'the facilitator was at its limit for a moment': {
      series: {
        'evenkeel_facilitator_unusable_total{service="agent-gateway",instance="a",call="verify",status="429"}':
          '0x10 3x20',
      },
      at: '20m',
      firing: [],
    },
    'a price differs at Stripe': {
      series: { 'evenkeel_provider_differences{service="billing",kind="price"}': '0 1x5' },
      at: '3m',
      firing: ticket(
        'ProviderDifferences',
        { kind: 'price' },
        '1 differences of the kind price between billing and Stripe.',
      ),
    },
    'nothing differs at Stripe': {
      series: { 'evenkeel_provider_differences{service="billing",kind="price"}': '1 0x5' },
      at: '3m',
      firing: [],
    },
    'nobody knows whose an event is': {
      series: { 'evenkeel_unlinked_events{service="billing"}': '1x80' },
      at: '70m',
      firing: ticket('UnlinkedEvents', {}, '1 events of Stripe belong to nobody who is known.'),
    },
    'its customer was linked soon': {
      series: { 'evenkeel_unlinked_events{service="billing"}': '1x5 0x80' },
      at: '70m',
      firing: [],
    },
    ...WEBHOOKS,
    'Stripe still knows who has left': {
      series: { 'evenkeel_departures_waiting{service="billing"}': '1x1500' },
      at: '1450m',
      firing: ticket('DeparturesWaiting', {}, '1 people have left, and Stripe still knows them.'),
      every: '10m',
    },
    'Stripe forgets within a day': {
      series: { 'evenkeel_departures_waiting{service="billing"}': '1x1000 0x500' },
      at: '1450m',
      firing: [],
      every: '10m',
    },
  },
  'platform.yaml': {
    'a process does not answer': {
      series: { 'up{job="accounts-http-internal",instance="a"}': '1 0x10' },
      at: '8m',
      firing: page(
        'ProcessMissing',
        { job: 'accounts-http-internal', instance: 'a' },
        'accounts-http-internal at a does not answer.',
      ),
    },
    'a process is restarted': {
      series: { 'up{job="accounts-http-internal",instance="a"}': '1 0 0 1x10' },
      at: '8m',
      firing: [],
    },
    'the last process of a service has gone, and its series with it': {
      series: { [up('billing-worker')]: '1x5 stale' },
      at: '10m',
      firing: page(
        'ServiceMissing',
        { job: 'billing-worker-internal' },
        'No process of billing-worker-internal is known to Prometheus.',
      ),
    },
    'every process and the edge have gone': {
      series: Object.fromEntries(Object.keys(RUNNING).map((series) => [series, '1x5 stale'])),
      at: '10m',
      firing: ALL_GONE.filter(({ alert }) => alert !== 'RelayMissing'),
    },
    'a process takes the name of the one that has gone': {
      series: { [up('billing-worker')]: '1x5 stale', 'up{job="billing-worker-internal",instance="b"}': '_x7 1x20' },
      at: '10m',
      firing: [],
    },
    'the edge answers nobody': { series: { [PROBE]: '1 1 0x20' }, at: '10m', firing: [PROBED!] },
    'the edge did not answer once': { series: { [PROBE]: '1 1 0 1x20' }, at: '10m', firing: [] },
    'nobody asks the edge': { series: { [PROBE]: '1x3 stale' }, at: '10m', firing: UNREACHABLE },
    'requests wait for connections': {
      series: { 'evenkeel_db_pool{service="accounts",state="waiting"}': '4x10' },
      at: '8m',
      firing: page(
        'PoolExhausted',
        { service: 'accounts' },
        '4 requests of accounts wait for a connection to the database.',
      ),
    },
    'connections are busy': {
      series: {
        'evenkeel_db_pool{service="accounts",state="busy"}': '10x10',
        'evenkeel_db_pool{service="accounts",state="waiting"}': '0 4 0x10',
      },
      at: '8m',
      firing: [],
    },
    'a duty only fails': {
      series: { [duty('failed')]: '0+1x60', [duty('done')]: '7x60' },
      at: '50m',
      firing: ticket(
        'DutyFailing',
        { service: 'accounts', duty: 'erase_mails' },
        'The duty erase_mails of accounts has only failed for 15 minutes.',
      ),
    },
    'a duty fails at times': {
      series: { [duty('failed')]: '0+1x60', [duty('done')]: '0+1x60' },
      at: '50m',
      firing: [],
    },
    'mails are not sent': {
      series: { 'evenkeel_mails_waiting{service="accounts"}': '0+5x30' },
      at: '25m',
      firing: page('MailsWaiting', {}, '125 mails are written and not sent.'),
    },
    'many mails are sent': {
      series: { 'evenkeel_mails_waiting{service="accounts"}': '0 90 5x30' },
      at: '25m',
      firing: [],
    },
    'Redis is away': {
      series: { 'evenkeel_ratelimit_degraded_total{service="accounts"}': '0+10x30' },
      at: '20m',
      firing: ticket('RateLimitsDegraded', { service: 'accounts' }, 'accounts counts rate limits without Redis.'),
    },
    'Redis was away': {
      series: { 'evenkeel_ratelimit_degraded_total{service="accounts"}': '0+10x3 30x30' },
      at: '20m',
      firing: [],
    },
    'figures cannot be read': {
      series: { 'evenkeel_scrape_missing{service="billing",source="outbox"}': '1x30' },
      at: '20m',
      firing: ticket(
        'ScrapeMissing',
        { service: 'billing', source: 'outbox' },
        'The figures of outbox of billing could not be read.',
      ),
    },
    'figures are read': {
      series: { 'evenkeel_scrape_missing{service="billing",source="outbox"}': '1 0x30' },
      at: '20m',
      firing: [],
    },
    // Ten days after 1970-01-01, where promtool begins; and thirty.
    'a certificate ends soon': {
      series: { 'probe_ssl_earliest_cert_expiry{instance="edge"}': '864000x90' },
      at: '80m',
      firing: ticket('CertificateEnds', { instance: 'edge' }, 'The certificate of edge ends in 9.944 days.'),
    },
    'a certificate is valid for a month': {
      series: { 'probe_ssl_earliest_cert_expiry{instance="edge"}': '2592000x90' },
      at: '80m',
      firing: [],
    },
  },
};
