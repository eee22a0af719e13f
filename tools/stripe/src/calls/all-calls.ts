import type Stripe from 'stripe';
import { deleteCustomer } from '../billing/ending';
import { aCustomer, subscriptionOf } from '../world/objects';
import { call, type Calls, found, isOrAny, listing, Refusal, retrieval } from './call';
import { CHECKOUT_CALLS } from './checkout';
import { SUBSCRIPTION_CALLS } from './subscriptions';

export const ALL_CALLS: Calls = {
  ...CHECKOUT_CALLS,
  ...SUBSCRIPTION_CALLS,

  'POST /v1/customers': call<Stripe.CustomerCreateParams>(['metadata'], ({ params, world }) => {
    const metadata = { ...(params.metadata as Stripe.Metadata | undefined) };
    return world.add(world.customers, aCustomer(world.time.seconds, metadata), 'customer.created');
  }),
  'POST /v1/customers/:id': call<Stripe.CustomerUpdateParams>(['metadata'], ({ params, world, id }) => {
    const customer = found(world.customers, 'customer', id);
    const metadata = { ...customer.metadata, ...(params.metadata as Stripe.Metadata | undefined) };
    world.change(customer, 'customer.updated', { metadata });
    return customer;
  }),
  'GET /v1/customers/:id': call([], ({ world, id }) => {
    if (world.deletedCustomers.has(id)) return { id, object: 'customer', deleted: true };
    return found(world.customers, 'customer', id);
  }),
  'DELETE /v1/customers/:id': call([], ({ world, id }) => {
    deleteCustomer(world, found(world.customers, 'customer', id));
    return { id, object: 'customer', deleted: true };
  }),
  ...listing('/v1/customers', [], ({ world }) => world.customers.values()),

  'GET /v1/prices/:id': retrieval('price', ({ prices }) => prices),
  ...listing('/v1/prices', [], ({ world }) => world.prices.values()),

  'GET /v1/invoices/:id': retrieval('invoice', ({ invoices }) => invoices),
  ...listing<Stripe.InvoiceListParams, Stripe.Invoice>(
    '/v1/invoices',
    ['status', 'subscription'],
    ({ world }) => world.invoices.values(),
    (invoice, { status, subscription }) =>
      isOrAny(status, invoice.status) && isOrAny(subscription, subscriptionOf(invoice)),
  ),

  'GET /v1/charges/:id': retrieval('charge', ({ charges }) => charges),
  ...listing<Stripe.InvoicePaymentListParams, Stripe.InvoicePayment>(
    '/v1/invoice_payments',
    ['payment'],
    ({ world }) => world.payments.values(),
    (paying, { payment }) => isOrAny(payment?.payment_intent, paying.payment.payment_intent),
  ),
  'GET /v1/events/:id': call([], ({ world, id }) => {
    const event = world.events.find((recorded) => recorded.id === id);
    if (!event) throw Refusal.missing('event', id);
    return event;
  }),
  ...listing('/v1/events', [], ({ world }) => world.events),
};
