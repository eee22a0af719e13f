import type Stripe from 'stripe';
import { deleteCustomer } from '../billing/deleting';
import type { StripeEvent } from '../events/event-log';
import { Refusal } from '../http/refusal';
import { aCustomer } from '../objects/customers';
import { found, isOrAny, listed, withinRange, type Call, type Calls } from './call';

export const CUSTOMER_CALLS: Calls = {
  'POST /v1/customers': ({ params, world }) => {
    const wanted = { ...personIn(params), metadata: params.metadata() };
    params.finish();
    return world.add(world.customers, aCustomer(world.time.seconds, wanted), 'customer.created');
  },
  'GET /v1/customers': ({ params, world }) => {
    const email = params.text('email');
    const created = withinRange(params, 'created');
    const wanted = (customer: Stripe.Customer) =>
      created(customer.created) && (email === undefined || customer.email === email);
    return listed(params, '/v1/customers', world.customers.values(), wanted);
  },
  'GET /v1/customers/:id': ({ params, world, id }) => {
    params.finish();
    if (world.deletedCustomers.has(id)) return { id, object: 'customer', deleted: true };
    return found(world.customers, 'customer', id);
  },
  'POST /v1/customers/:id': ({ params, world, id }) => {
    const customer = found(world.customers, 'customer', id);
    const { email, name, description } = personIn(params);
    const changes = {
      email: email ?? customer.email,
      name: name ?? customer.name,
      description: description ?? customer.description,
      metadata: params.metadata(customer.metadata),
    };
    params.finish();
    world.change(customer, 'customer.updated', changes);
    return customer;
  },
  'DELETE /v1/customers/:id': ({ params, world, id }) => {
    const customer = found(world.customers, 'customer', id);
    params.finish();
    deleteCustomer(world, customer);
    return { id, object: 'customer', deleted: true };
  },
};

function personIn(params: Call['params']) {
  return {
    email: params.text('email') ?? null,
    name: params.text('name') ?? null,
    description: params.text('description') ?? null,
  };
}

export const PRICE_CALLS: Calls = {
  'GET /v1/prices': ({ params, world }) => {
    const active = params.boolean('active');
    const product = params.text('product');
    const created = withinRange(params, 'created');
    const wanted = (price: Stripe.Price) =>
      created(price.created) && isOrAny(active, price.active) && isOrAny(product, price.product);
    return listed(params, '/v1/prices', world.prices.values(), wanted);
  },
  'GET /v1/prices/:id': ({ params, world, id }) => {
    params.finish();
    return found(world.prices, 'price', id);
  },
};

/** Events can be asked for during a month. */
const KEPT_SECONDS = 30 * 86_400;

export const EVENT_CALLS: Calls = {
  'GET /v1/events': ({ params, world }) => {
    const type = params.text('type');
    const types = params.texts('types');
    const delivered = params.boolean('delivery_success');
    const created = withinRange(params, 'created');
    const oldest = world.time.seconds - KEPT_SECONDS;
    const wanted = (event: StripeEvent) =>
      event.created >= oldest &&
      created(event.created) &&
      (type === undefined || matches(type, event.type)) &&
      (types.length === 0 || types.some((pattern) => matches(pattern, event.type))) &&
      (delivered === undefined || delivered === (event.pending_webhooks === 0));
    return listed(params, '/v1/events', world.events.all, wanted);
  },
  'GET /v1/events/:id': ({ params, world, id }) => {
    params.finish();
    const event = world.events.all.find((recorded) => recorded.id === id);
    if (!event) throw Refusal.missing('event', id);
    return event;
  },
};

/** `invoice.*` stands for all that begin so. */
function matches(pattern: string, type: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}
