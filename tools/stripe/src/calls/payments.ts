import type Stripe from 'stripe';
import { refundCharge } from '../billing/refunding';
import { Refusal } from '../http/refusal';
import type { World } from '../world/world';
import { type Call, type Calls, found } from './call';
import { isOrAny, listed, withinRange } from './listing';

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
  'GET /v1/payment_intents/:id': ({ params, world, id }) => {
    params.finish();
    return found(world.paymentIntents, 'payment_intent', id);
  },
  'GET /v1/payment_methods/:id': ({ params, world, id }) => {
    params.finish();
    return found(world.paymentMethods, 'PaymentMethod', id);
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
  'GET /v1/invoice_payments/:id': ({ params, world, id }) => {
    params.finish();
    return found(world.invoicePayments, 'invoice_payment', id);
  },
  'POST /v1/refunds': createRefund,
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

function createRefund({ params, world }: Call): object {
  const charge = chargeIn(params, world);
  const left = charge.amount - charge.amount_refunded;
  const amountCents = params.integer('amount') ?? left;
  const reason = params.oneOf('reason', ['duplicate', 'fraudulent', 'requested_by_customer']) ?? null;
  const metadata = params.metadata();
  params.finish();
  if (left === 0) {
    throw Refusal.invalid(`Charge ${charge.id} has already been refunded.`, undefined, 'charge_already_refunded');
  }
  if (!charge.paid || amountCents < 1 || amountCents > left) {
    throw Refusal.invalid(`Refund amount (${amountCents}) is greater than unrefunded amount (${left})`, 'amount');
  }
  return refundCharge(world, charge, { amountCents, reason, metadata });
}

function chargeIn(params: Call['params'], world: World): Stripe.Charge {
  const intentId = params.text('payment_intent');
  if (intentId === undefined) return found(world.charges, 'charge', params.required('charge'), 'charge');
  const intent = found(world.paymentIntents, 'payment_intent', intentId, 'payment_intent');
  return found(world.charges, 'charge', (intent.latest_charge as string | null) ?? '', 'payment_intent');
}
