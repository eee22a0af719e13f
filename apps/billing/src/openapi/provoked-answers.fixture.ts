import { randomUUID } from 'node:crypto';
import type { DocumentedAnswer } from '@evenkeel/platform/testing';
import type { Reply } from '@evenkeel/platform/testing/service';
import type { Billing, Person } from '../billing.fixture';
import type { Shop } from '../checkout/shop.fixture';

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

const CHANGE = { plan: 'premium_yearly' };
const CHECKOUT = '/v1/billing/checkout';
const WEBHOOK = '/v1/billing/webhook/stripe';

/** Good bodies, by operation. */
const BODIES: Record<string, unknown> = {
  openCheckout: { plan: 'premium_monthly' },
  openPortal: { flow: 'payment_method' },
  changePlan: CHANGE,
};

/** Requests other than a subscriber's good one and the usual bad one, by operation and status. */
const SPECIAL: Record<string, (stage: Stage) => Promise<Reply>> = {
  'listPlans 200': ({ shop }) => shop.billing.send('/v1/billing/plans'),
  'listPlans 304': ({ shop }) => shop.billing.send('/v1/billing/plans', { headers: { 'if-none-match': '*' } }),
  'openCheckout 201': ({ shop }) => shop.open(shop.billing.person()),
  'openCheckout 400': async ({ shop }) => shop.open(await shop.subscriber()),
  'openCheckout 409': async ({ shop }) => {
    const [person, headers] = [shop.billing.person(), { 'idempotency-key': randomUUID() }];
    await shop.post(person, 'checkout', { plan: 'premium_monthly' }, { headers });
    return shop.post(person, 'checkout', CHANGE, { headers });
  },
  'openCheckout 501': ({ bare }) => bare.ask('POST', CHECKOUT, { token: bare.person().token, body: CHANGE }),
  'changePlan 402': async ({ shop }) => {
    const person = await shop.subscriber();
    await shop.stripe.setCard(shop.subscriptionOf(person).customer, 'declines');
    return shop.post(person, 'change-plan', CHANGE);
  },
  'receiveBillingEvent 200': async ({ shop }) =>
    shop.deliver({ ...(await anEventOf(shop)), id: `evt_${randomUUID()}`, type: 'customer.created' }),
  'receiveBillingEvent 400': ({ shop }) => shop.billing.send(WEBHOOK, { method: 'POST', body: '{}' }),
  'receiveBillingEvent 413': ({ shop }) => shop.billing.send(WEBHOOK, { method: 'POST', body: 'x'.repeat(1_048_577) }),
  'receiveBillingEvent 501': ({ bare }) => bare.send(WEBHOOK, { method: 'POST', body: '{}' }),
  'receiveBillingEvent 503': async ({ shop, cutOff }) => shop.deliver(await anEventOf(shop), cutOff),
};

/** The answer that a document describes, from the running services. */
export async function provoke({ operation, status, method, path }: DocumentedAnswer, stage: Stage): Promise<Reply> {
  const { operationId } = operation;
  const special = SPECIAL[`${operationId} ${status}`];
  if (special) return special(stage);
  const { shop, keyless, strict, cutOff } = stage;
  const ask = (billing: Billing, person: Person | null, options: object = { body: BODIES[operationId] }) =>
    billing.ask(method.toUpperCase(), path, { ...(person && { token: person.token }), ...options });
  switch (status) {
    case 400:
      return ask(shop.billing, shop.billing.person());
    case 401:
      return ask(shop.billing, null);
    case 413:
      return ask(shop.billing, shop.billing.person(), { body: { plan: 'x'.repeat(140_000) } });
    case 415:
      return ask(shop.billing, shop.billing.person(), { body: {}, headers: { 'content-type': 'text/plain' } });
    case 429:
      return exhaust(() => ask(strict, (often ??= strict.person())));
    case 501:
      return ask(keyless, await subscriberOf(keyless, shop));
    case 503:
      return ask(cutOff, cutOff.person());
    default:
      return ask(shop.billing, await shop.subscriber());
  }
}

/** One person, so that their limit ends. */
let often: Person | undefined;

/** Somebody whose subscription is known to a service without a connection to the provider. */
async function subscriberOf(keyless: Billing, shop: Shop): Promise<Person> {
  const { id } = await shop.subscriber();
  await keyless.know(id);
  for (const event of shop.stripe.events) {
    if (JSON.stringify(event).includes(id)) await shop.deliver(event, keyless);
  }
  return { id, token: keyless.tokens.token(id) };
}

async function anEventOf(shop: Shop): Promise<object> {
  return shop.made(await shop.subscriber(), 'customer.subscription.created')[0]!;
}

/** Limits reach their end. */
async function exhaust(ask: () => Promise<Reply>): Promise<Reply> {
  for (let asked = 0; ; asked++) {
    const reply = await ask();
    if (reply.status === 429 || asked === 9) return reply;
  }
}
