import { StripeAtNoon } from '../stripe-at-noon.fixture';
import { WebhookReceiver } from './webhook-receiver.fixture';

let stripe: StripeAtNoon;
let receiver: WebhookReceiver;

beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  stripe = await StripeAtNoon.start({ webhookRetryMs: [1, 1] });
  stripe.running.sendTo(receiver.url);
});

afterEach(async () => {
  await stripe.close();
  await receiver.close();
});

const happened = () => stripe.running.events.map(({ id }) => id);
const pending = () => stripe.running.events.filter(({ pending_webhooks: left }) => left > 0).length;

it('every event is sent once, in order, signed as the client of Stripe checks it', async () => {
  await stripe.aSubscription();
  expect(receiver.ids).toEqual(happened());
  expect(pending()).toBe(0);
  const { body, signature } = receiver.received[0]!;
  const { webhooks } = stripe.client;
  const seconds = Math.floor(stripe.clock.now().getTime() / 1000);
  const read = webhooks.constructEvent(body, signature, stripe.running.webhookSecret, 300, undefined, seconds);
  expect(read.id).toBe(happened()[0]);
  expect(() => webhooks.constructEvent(`${body} `, signature, stripe.running.webhookSecret)).toThrow();
});

it('what happens while time passes is sent at its own instant', async () => {
  await stripe.aSubscription();
  const times: string[] = [];
  const count = receiver.received.length;
  receiver.received.push = (...received) => {
    times.push(stripe.clock.now().toISOString());
    return Array.prototype.push.apply(receiver.received, received);
  };
  await stripe.running.advance(new Date('2026-03-10T00:00:00Z'));
  const types = receiver.received.slice(count).map(({ event }) => event.type);
  expect(times[types.indexOf('invoice.created')]).toBe('2026-02-28T12:00:00.000Z');
  expect(times[types.indexOf('invoice.paid')]).toBe('2026-02-28T13:00:00.000Z');
});

it('an event that is not taken is sent again, and given up after some tries', async () => {
  receiver.answers = [500, 302];
  await stripe.client.customers.create({});
  await stripe.running.delivered();
  expect(receiver.ids).toEqual([happened()[0], happened()[0], happened()[0]]);
  expect(pending()).toBe(0);

  receiver.answers = [500, 500, 500];
  const { id } = await stripe.client.customers.create({});
  await stripe.running.delivered();
  expect(pending()).toBe(1);
  const { data } = await stripe.client.events.list({ delivery_success: false });
  expect(data).toMatchObject([{ type: 'customer.created', data: { object: { id } }, pending_webhooks: 1 }]);
  await stripe.running.deliverHeldBack();
  expect(pending()).toBe(0);
  expect(receiver.ids.at(-1)).toBe(data[0]!.id);
});

it.each(['late', 'lost'] as const)('%s: nothing comes until it is asked for', async (mode) => {
  stripe.running.mode(mode);
  await stripe.aSubscription();
  expect(receiver.received).toEqual([]);
  expect(pending()).toBe(happened().length);
  stripe.running.mode('ok');
  await stripe.client.customers.create({});
  await stripe.running.delivered();
  expect(receiver.ids).toEqual([happened().at(-1)]);
  await stripe.running.deliverHeldBack();
  expect(new Set(receiver.ids)).toEqual(new Set(happened()));
  expect(receiver.ids).toHaveLength(happened().length);
});

it('doubled: every event comes twice, for so many events', async () => {
  stripe.running.mode('doubled', 1);
  await stripe.client.customers.create({});
  await stripe.client.customers.create({});
  await stripe.running.delivered();
  const [first, second] = happened();
  expect(receiver.ids).toEqual([first, first, second]);
});

it('shuffled: all come, in another order', async () => {
  stripe.running.mode('shuffled');
  await stripe.aSubscription();
  expect(receiver.ids).not.toEqual(happened());
  expect(receiver.ids.toSorted()).toEqual(happened().toSorted());
});

it('the old shape has its members where they were', async () => {
  const old = await StripeAtNoon.start({ apiVersion: 'old' });
  await old.aSubscription();
  const payloadOf = (type: string) => old.running.events.find((event) => event.type === type)!;
  const subscription = payloadOf('customer.subscription.updated');
  expect(subscription).toMatchObject({ api_version: '2025-02-24.acacia' });
  expect(subscription.data.object).toMatchObject({
    current_period_start: Date.parse('2026-01-31T12:00:00Z') / 1000,
    current_period_end: Date.parse('2026-02-28T12:00:00Z') / 1000,
  });
  const [item] = (subscription.data.object.items as { data: object[] }).data;
  expect(item).not.toHaveProperty('current_period_end');
  const invoice = payloadOf('invoice.paid').data.object;
  expect(invoice).not.toHaveProperty('parent');
  expect(invoice).toMatchObject({
    subscription: subscription.data.object.id,
    paid: true,
    payment_intent: expect.stringMatching(/^pi_/),
    lines: { data: [{ type: 'subscription', proration: false, price: { id: old.running.prices.monthly } }] },
  });
  expect(payloadOf('charge.succeeded').data.object).toMatchObject({ invoice: invoice.id });
  // The client names its version with each call, and gets the shape of that.
  const id = subscription.data.object.id as string;
  expect((await old.client.subscriptions.retrieve(id)).items.data[0]).toHaveProperty('current_period_end');
  await old.close();
});
