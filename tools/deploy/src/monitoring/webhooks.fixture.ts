import type { Fired, Played } from './played.fixture';

const webhooks = (type: string, result: string) =>
  `evenkeel_webhooks_total{service="billing",type="${type}",result="${result}"}`;

function told(kind: 'refund' | 'dispute'): Fired[] {
  const summary = `Money goes back, or may: Stripe has announced a ${kind}.`;
  return [{ alert: 'RefundsAndDisputes', severity: 'ticket', labels: { kind }, summary }];
}

const REFUSED: Fired = {
  alert: 'WebhooksRefused',
  severity: 'page',
  labels: { result: 'invalid_signature' },
  summary: '15 webhooks were refused in 15 minutes: invalid_signature.',
};

const NO_REPORT: Fired = {
  alert: 'ProviderReportMissing',
  severity: 'ticket',
  labels: {},
  summary: 'No complete comparison of billing with Stripe has ended since last night.',
};

/** Courses of what Stripe tells, and of what is compared with it. */
export const WEBHOOKS: Record<string, Played> = {
  'webhooks have a wrong signature': {
    series: { [webhooks('other', 'invalid_signature')]: '0+1x30' },
    at: '20m',
    firing: [REFUSED],
  },
  'webhooks are repeated': {
    series: { [webhooks('invoice.paid', 'duplicate_event')]: '0+9x30' },
    at: '20m',
    firing: [],
  },
  'a payment is disputed, for the first time since the process has started': {
    series: { [webhooks('charge.dispute.created', 'applied')]: '_x10 1x30' },
    at: '20m',
    firing: told('dispute'),
  },
  'one dispute of many, of somebody who is not known yet': {
    series: { [webhooks('charge.dispute.funds_withdrawn', 'unmatched_customer')]: '3x70 4x20' },
    at: '80m',
    firing: told('dispute'),
  },
  'a payment is refunded, which two events tell': {
    series: {
      [webhooks('charge.refunded', 'applied')]: '_x10 1x30',
      [webhooks('refund.created', 'applied')]: '0x10 1x30',
    },
    at: '20m',
    firing: told('refund'),
  },
  'it was refunded long ago, and the event is sent again': {
    series: {
      [webhooks('refund.created', 'applied')]: '1x90',
      [webhooks('refund.created', 'duplicate_event')]: '_x70 1x20',
      [webhooks('invoice.paid', 'applied')]: '_x70 1x20',
    },
    at: '80m',
    firing: [],
  },
  'the comparison with Stripe came to no end last night': {
    series: { 'evenkeel_reconciled_at_seconds{service="billing"}': '3600x2000' },
    at: '1870m',
    firing: [NO_REPORT],
    every: '10m',
  },
  'the comparison with Stripe has never come to an end': {
    series: { 'evenkeel_circuit_open{service="billing",dependency="stripe"}': '0x200' },
    at: '130m',
    firing: [NO_REPORT],
  },
  'the comparison with Stripe comes every night': {
    series: {
      'evenkeel_reconciled_at_seconds{service="billing"}': '3600x1500 90000x500',
      'evenkeel_circuit_open{service="billing",dependency="stripe"}': '0x2000',
    },
    at: '1870m',
    firing: [],
    every: '10m',
  },
};
