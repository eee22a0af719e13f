import type Stripe from 'stripe';
import { found, isOrAny, listed, withinRange, type Calls } from './call';

export const PAYMENT_CALLS: Calls = {
  'GET /v1/charges': ({ params, world }) => {
    const customer = params.text('customer');
    const intent = params.text('payment_intent');
    const created = withinRange(params, 'created');
    const wanted = (charge: Stripe.Charge) =>
      created(charge.created) && isOrAny(customer, charge.customer) && isOrAny(intent, charge.payment_intent);
    return listed(params, '/v1/charges', world.charges.values(), wanted);
  },
  'GET /v1/charges/:id': ({ params, world, id }) => {
    params.finish();
    return found(world.charges, 'charge', id);
  },
  'GET /v1/invoice_payments': ({ params, world }) => {
    const invoice = params.text('invoice');
    const status = params.text('status');
    const payment = params.object('payment');
    const intent = payment?.required('type') === 'payment_intent' ? payment.text('payment_intent') : undefined;
    const created = withinRange(params, 'created');
    const wanted = (paying: Stripe.InvoicePayment) =>
      created(paying.created) &&
      isOrAny(invoice, paying.invoice) &&
      isOrAny(status, paying.status) &&
      isOrAny(intent, paying.payment.payment_intent);
    return listed(params, '/v1/invoice_payments', world.invoicePayments.values(), wanted);
  },
  'GET /v1/refunds': ({ params, world }) => {
    const charge = params.text('charge');
    const intent = params.text('payment_intent');
    const created = withinRange(params, 'created');
    const wanted = (refund: Stripe.Refund) =>
      created(refund.created) && isOrAny(charge, refund.charge) && isOrAny(intent, refund.payment_intent);
    return listed(params, '/v1/refunds', world.refunds.values(), wanted);
  },
  'GET /v1/refunds/:id': ({ params, world, id }) => {
    params.finish();
    return found(world.refunds, 'refund', id);
  },
  'GET /v1/disputes': ({ params, world }) => {
    const charge = params.text('charge');
    const intent = params.text('payment_intent');
    const created = withinRange(params, 'created');
    const wanted = (dispute: Stripe.Dispute) =>
      created(dispute.created) && isOrAny(charge, dispute.charge) && isOrAny(intent, dispute.payment_intent);
    return listed(params, '/v1/disputes', world.disputes.values(), wanted);
  },
  'GET /v1/disputes/:id': ({ params, world, id }) => {
    params.finish();
    return found(world.disputes, 'dispute', id);
  },
};
