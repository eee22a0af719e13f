import { page, type Played } from './played.fixture';

const payments = (state: string, instance = 'a') =>
  `evenkeel_payments{service="agent-gateway",instance="${instance}",state="${state}"}`;
const OLDEST = 'evenkeel_payments_oldest_seconds{service="agent-gateway",instance="a"}';

/** Long courses: a look every ten minutes. */
const every = '10m';
/** Two hours after a week, and after a day. */
const [afterWeek, afterDay] = ['10200m', '1560m'];

/** Courses of payments: what waits, what fails, and whether any come. */
export const PAYMENTS: Record<string, Played> = {
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
  'a payment waits for more than an hour': {
    series: { [OLDEST]: '0+60x90' },
    at: '70m',
    firing: page('PaymentPendingAnHour', {}, 'A payment has waited 1h 10m 0s for its outcome.'),
  },
  'the oldest payment has its outcome within an hour': {
    series: { [OLDEST]: '0+60x50 0+60x40' },
    at: '70m',
    firing: [],
  },
  'no call is paid for any more': {
    series: { [payments('settled')]: '0+1x10080 10080x200' },
    at: afterWeek,
    every,
    firing: page('PaidCallsStopped', {}, 'No call has been paid for in an hour; a week before there were 60.'),
  },
  'calls are paid for at another process': {
    series: { [payments('settled')]: '0+1x10080 stale', [payments('settled', 'b')]: '_x10080 0+1x200' },
    at: afterWeek,
    every,
    firing: [],
  },
  'at this hour of the week nobody pays': {
    series: { [payments('settled')]: '0x200 0+1x9880 9880x200' },
    at: afterWeek,
    every,
    firing: [],
  },
  'more payments fail than the day before': {
    series: { [payments('settled')]: '0+10x1600', [payments('settlement_failed')]: '0x1499 0+5x120' },
    at: afterDay,
    every,
    firing: page('FailuresRise', {}, '33.33% of the payments of the last hour failed.'),
  },
  'as many fail as the day before': {
    series: { [payments('settled')]: '0+10x1600', [payments('settlement_failed')]: '0+5x1600' },
    at: afterDay,
    every,
    firing: [],
  },
  'few fail at night': {
    series: { [payments('settled')]: '0x1600', [payments('settlement_failed')]: '0x1540 1x10 2x50' },
    at: afterDay,
    every,
    firing: [],
  },
};
