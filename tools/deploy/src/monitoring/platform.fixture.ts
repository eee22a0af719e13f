import { ALL_GONE, page, PROBE, PROBED, RUNNING, ticket, UNREACHABLE, up, type Played } from './played.fixture';

const duty = (outcome: string) =>
  `evenkeel_worker_duty_seconds_count{service="accounts",duty="erase_mails",outcome="${outcome}"}`;

/** Courses of processes, and of what they stand on. */
export const PLATFORM: Record<string, Played> = {
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
      'The background job erase_mails of accounts has only failed for 15 minutes.',
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
};
