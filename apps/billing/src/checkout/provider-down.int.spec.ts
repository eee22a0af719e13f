import { eventually } from '@evenkeel/platform/testing';
import { Shop } from './shop.fixture';

/** A loaded machine gets three times what is promised: five seconds, and one for what is unaffected. */
const WITHIN_MS = 15_000;
const UNAFFECTED_WITHIN_MS = 3_000;

jest.setTimeout(3 * WITHIN_MS);

const shop = Shop.forSuite();
/** So that the provider is asked again. */
afterEach(() => shop.clock.advanceMs(60_000));

const UNAVAILABLE = { status: 503, body: { error: 'service_unavailable' } };
const YEARLY = { tier: 'PREMIUM', subscription: { plan_code: 'premium_yearly', status: 'ACTIVE' } };

it.each(['down', 'error500', 'rate_limited'] as const)('buying and changing is 503 while it is %s', async (mode) => {
  const [person, subscriber] = [shop.billing.person(), await shop.subscriber()];
  shop.stripe.mode(mode);
  const refused = await shop.open(person);
  expect(refused).toMatchObject(UNAVAILABLE);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await shop.post(subscriber, 'cancel')).toMatchObject(UNAVAILABLE);
  expect((await shop.me(subscriber)).body).toMatchObject({ tier: 'PREMIUM', subscription: { cancel_at: null } });
  // Afterwards the same request goes on where it was.
  shop.stripe.mode('ok');
  shop.clock.advanceMs(10_000);
  expect((await shop.open(person)).status).toBe(201);
  expect(shop.made(person, 'customer.created')).toHaveLength(1);
});

it.each(['customer', 'session'] as const)('a lost answer about the %s leaves one customer and page', async (which) => {
  const person = shop.billing.person();
  if (which === 'session') await shop.open(person, 'premium_yearly');
  shop.stripe.mode('lost_answer', 1);
  expect((await shop.open(person)).status).toBe(201);
  expect(shop.made(person, 'customer.created')).toHaveLength(1);
  expect((await shop.checkouts(person)).filter(({ closed_at: closed }) => closed === null)).toHaveLength(1);
});

describe('one that is slow', () => {
  // Two calls at this pace are six seconds: more than anybody waits for an answer.
  const slow = () => shop.stripe.mode('slow', Infinity, 3_000);

  it('is waited for as long as one call takes, whatever their number, and each try goes on from there', async () => {
    const person = shop.billing.person();
    slow();
    const began = performance.now();
    expect(await shop.open(person)).toMatchObject(UNAVAILABLE);
    expect(performance.now() - began).toBeLessThan(WITHIN_MS);
    // The customer is there; then nothing lives there, and then the session is, which the last try reads.
    let last = await shop.open(person);
    for (let tries = 0; last.status !== 201 && tries < 2; tries++) last = await shop.open(person);
    expect(last.status).toBe(201);
    expect(shop.made(person, 'customer.created')).toHaveLength(1);
    expect(await shop.checkouts(person)).toMatchObject([{ session_id: last.body.session_id, closed_at: null }]);
  });

  it('may have changed a plan after all: its events say so, and the next try too', async () => {
    const person = await shop.subscriber();
    slow();
    expect(await shop.post(person, 'change-plan', { plan: 'premium_yearly' })).toMatchObject(UNAVAILABLE);
    await eventually(async () => expect((await shop.me(person)).body).toMatchObject(YEARLY), { withinMs: WITHIN_MS });
    shop.stripe.mode('ok');
    const again = await shop.post(person, 'change-plan', { plan: 'premium_yearly' });
    expect(again).toMatchObject({ status: 200, body: YEARLY });
    const { customer } = shop.subscriptionOf(person);
    expect(shop.stripe.invoices.filter((invoice) => invoice.customer === customer)).toHaveLength(2);
  });
});

it('what needs no provider is done while it hangs: events, access and plans', async () => {
  const [person, buyer] = [shop.billing.person(), shop.billing.person()];
  const { body: page } = await shop.open(buyer);
  shop.stripe.mode('hang');
  const began = performance.now();
  let isOver = false;
  const opening = shop.open(person).finally(() => (isOver = true));
  // Its webhooks come all the same.
  await shop.stripe.pay(String(page.session_id));
  const asked = performance.now();
  expect((await shop.me(buyer)).body).toMatchObject({ tier: 'PREMIUM', subscription: { status: 'ACTIVE' } });
  expect(performance.now() - asked).toBeLessThan(UNAFFECTED_WITHIN_MS);
  expect((await shop.billing.send('/v1/billing/plans')).status).toBe(200);
  expect(isOver).toBe(false);
  expect(await opening).toMatchObject(UNAVAILABLE);
  expect(performance.now() - began).toBeLessThan(WITHIN_MS);
});
