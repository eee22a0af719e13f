import type { Fired, Played } from './courses.fixture';

const webhooks = (type: string, result: string) =>
  `evenkeel_webhooks_total{service="billing",type="${type}",result="${result}"}`;

function told(kind: 'refund' | 'dispute'): Fired[] {
  const summary = `Money goes back, or may: Stripe has told of a ${kind}.`;
  return [{ alert: 'RefundsAndDisputes', severity: 'ticket', labels: { kind }, summary }];
}

const REFUSED: Fired = {
  ...{ alert: 'WebhooksRefused', severity: 'page', labels: { result: 'invalid_signature' } },
  summary: '15 webhooks were refused in 15 minutes: invalid_signature.',
};

/** Courses of what Stripe tells. */
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
  'it was refunded long ago, and that is told again': {
    series: {
      [webhooks('refund.created', 'applied')]: '1x90',
      [webhooks('refund.created', 'duplicate_event')]: '_x70 1x20',
      [webhooks('invoice.paid', 'applied')]: '_x70 1x20',
    },
    at: '80m',
    firing: [],
  },
};
