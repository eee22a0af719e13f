import type Stripe from 'stripe';
import { deleteCustomer } from '../billing/deleting';
import { aCustomer } from '../objects/customers';
import { type Call, type Calls, found } from './call';
import { listed, withinRange } from './listing';

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
