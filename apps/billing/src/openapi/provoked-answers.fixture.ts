import { randomUUID } from 'node:crypto';
import type { DocumentedAnswer } from '@evenkeel/platform/testing';
import type { Reply } from '@evenkeel/platform/testing/service';
import { signWebhook, type StripeEvent } from '@evenkeel/stripe';
import { Billing, type Person } from '../billing.fixture';
import { Shop } from '../checkout/shop.fixture';

/** Services in the states that the documented answers are of. */
export interface Stage {
  shop: Shop;
  /** Without any setting of payments. */
  bare: Billing;
  /** Takes events, and can ask the provider nothing. */
  keyless: Billing;
  /** Behind limits of very few requests. */
  strict: Billing;
  /** With no way to its database. */
  cutOff: Billing;
}

type Provocation = (stage: Stage) => Promise<Reply>;

const CHANGE = { plan: 'premium_yearly' };
const PATH = '/v1/billing';

/** Good bodies, by operation. */
const BODIES: Record<string, unknown> = {
  openCheckout: { plan: 'premium_monthly' },
  openPortal: { flow: 'payment_method' },
  changePlan: CHANGE,
};

/** Requests other than a subscriber's good one and the usual bad one, by operation and status. */
const SPECIAL: Record<string, Provocation> = {
  'listPlans 200': ({ shop }) => shop.billing.send(`${PATH}/plans`),
  'openCheckout 201': ({ shop }) => shop.open(shop.billing.person()),
  'openCheckout 400': async ({ shop }) => shop.open(await shop.subscriber()),
  'openCheckout 409': async ({ shop }) => {
    const [person, headers] = [shop.billing.person(), { 'idempotency-key': randomUUID() }];
    await shop.post(person, 'checkout', { plan: 'premium_monthly' }, { headers });
    return shop.post(person, 'checkout', CHANGE, { headers });
  },
  'openCheckout 501': ({ bare }) => request(bare, bare.person(), 'post', `${PATH}/checkout`, CHANGE),
  'changePlan 402': async ({ shop }) => {
    const person = await shop.subscriber();
    await shop.stripe.setCard(shop.subscriptionsOf(person)[0]!.customer as string, 'declines');
    return shop.post(person, 'change-plan', CHANGE);
  },
  'receiveBillingEvent 200': async ({ shop }) => {
    const event = await anEventOf(shop);
    return deliver(shop.billing, shop, { ...event, id: `evt_${randomUUID()}`, type: 'customer.created' });
  },
  'receiveBillingEvent 400': ({ shop }) => shop.billing.send(`${PATH}/webhook/stripe`, { method: 'POST', body: '{}' }),
  'receiveBillingEvent 413': ({ shop }) =>
    shop.billing.send(`${PATH}/webhook/stripe`, { method: 'POST', body: 'x'.repeat(1_048_577) }),
  'receiveBillingEvent 501': ({ bare }) => bare.send(`${PATH}/webhook/stripe`, { method: 'POST', body: '{}' }),
  'receiveBillingEvent 503': async ({ shop, cutOff }) => deliver(cutOff, shop, await anEventOf(shop)),
};

/** The answer that a document describes, from the running services. */
export async function provoke({ operation, status, method, path }: DocumentedAnswer, stage: Stage): Promise<Reply> {
  const { operationId } = operation;
  const special = SPECIAL[`${operationId} ${status}`];
  if (special) return special(stage);
  const { shop, keyless, strict, cutOff } = stage;
  const body = BODIES[operationId];
  switch (status) {
    case 400:
      return request(shop.billing, shop.billing.person(), method, path, body);
    case 401:
      return request(shop.billing, null, method, path, body);
    case 413:
      return request(shop.billing, shop.billing.person(), method, path, { plan: 'x'.repeat(140_000) });
    case 415:
      return request(shop.billing, shop.billing.person(), method, path, {}, { 'content-type': 'text/plain' });
    case 429:
      return exhaust(() => request(strict, strictPerson(stage), method, path, body));
    case 501:
      return request(keyless, await subscriberOf(keyless, shop), method, path, body);
    case 503:
      return request(cutOff, cutOff.person(), method, path, body);
    default:
      return request(shop.billing, await shop.subscriber(), method, path, body);
  }
  function strictPerson({ strict: of }: Stage): Person {
    return (known ??= of.person());
  }
}

/** One person, so that their limit ends. */
let known: Person | undefined;

/** Somebody whose subscription is known to a service without a connection to the provider. */
async function subscriberOf(keyless: Billing, shop: Shop): Promise<Person> {
  const person = await shop.subscriber();
  await keyless.know(person.id);
  for (const event of shop.stripe.events) {
    if (JSON.stringify(event).includes(person.id)) await deliver(keyless, shop, event);
  }
  return { id: person.id, token: keyless.tokens.token(person.id) };
}

async function anEventOf(shop: Shop): Promise<StripeEvent> {
  await shop.subscriber();
  return shop.stripe.events.find(({ type }) => type === 'customer.subscription.created')!;
}

function deliver(billing: Billing, { stripe }: Shop, event: object): Promise<Reply> {
  const body = JSON.stringify(event);
  const headers = { 'stripe-signature': signWebhook(body, stripe.webhookSecret, billing.clock.now()) };
  return billing.send(`${PATH}/webhook/stripe`, { method: 'POST', body, headers });
}

function request(
  billing: Billing,
  person: Person | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return billing.ask(method.toUpperCase(), path, { ...(person && { token: person.token }), body, headers });
}

/** Limits reach their end. */
async function exhaust(ask: () => Promise<Reply>): Promise<Reply> {
  for (let asked = 0; ; asked++) {
    const reply = await ask();
    if (reply.status === 429 || asked === 9) return reply;
  }
}
