import type Stripe from 'stripe';
import { type Calls, found } from './call';
import { isOrAny, listed, withinRange } from './listing';

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
