import type Stripe from 'stripe';
import { StripeAtNoon } from '../stripe-at-noon.fixture';

let stripe: StripeAtNoon;

beforeEach(async () => {
  stripe = await StripeAtNoon.start();
});

afterEach(() => stripe.close());

const create = (options: Stripe.RequestOptions = {}) => stripe.client.customers.create({}, options);

it('down: the connection breaks, for so many calls', async () => {
  // The client itself tries once more after a broken connection.
  stripe.running.mode('down', 2);
  await expect(create()).rejects.toMatchObject({ type: 'StripeConnectionError' });
  await expect(create()).resolves.toMatchObject({ object: 'customer' });
});

it('hang: there is no answer', async () => {
  stripe.running.mode('hang', 1);
  await expect(create({ timeout: 50 })).rejects.toMatchObject({ type: 'StripeConnectionError' });
  expect(stripe.running.events).toEqual([]);
});

it('slow: the answer comes late', async () => {
  stripe.running.mode('slow', 2, 300);
  await expect(create({ timeout: 50 })).rejects.toMatchObject({ type: 'StripeConnectionError' });
  await expect(create()).resolves.toMatchObject({ object: 'customer' });
});

it('error500 and rate_limited: nothing is done', async () => {
  stripe.running.mode('error500', 1);
  await expect(create()).rejects.toMatchObject({ type: 'StripeAPIError', statusCode: 500 });
  stripe.running.mode('rate_limited', 1);
  await expect(create()).rejects.toMatchObject({ type: 'StripeRateLimitError', statusCode: 429 });
  expect(stripe.running.events).toEqual([]);
});

it('lost_answer: the work is done, and a second call with the key finds it', async () => {
  stripe.running.mode('lost_answer', 1);
  const found = await create({ idempotencyKey: 'once', maxNetworkRetries: 2 });
  expect(stripe.eventTypes()).toEqual(['customer.created']);
  expect(stripe.running.events[0]!.data.object.id).toBe(found.id);
});
