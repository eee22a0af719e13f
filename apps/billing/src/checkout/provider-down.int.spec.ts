import { eventually } from '@evenkeel/platform/testing';
import { Shop } from './shop.fixture';

/** A loaded machine gets three times that. */
const WITHIN_MS = 3 * 5_000;

/** An unaffected request takes a second at most; tests wait three times that. */
const UNAFFECTED_WITHIN_MS = 3 * 1_000;

jest.setTimeout(3 * WITHIN_MS);

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start();
});
/** Later, so that the provider is asked again. */
afterEach(() => {
  shop.stripe.mode('ok');
  shop.clock.advanceMs(60_000);
});
afterAll(() => Shop.closeAll());

it.each(['down', 'error500', 'rate_limited'] as const)(
  'checkout answers 503 while the provider is %s',
  async (mode) => {
    const [person, subscriber] = [shop.billing.person(), await shop.subscriber()];
    shop.stripe.mode(mode);
    const { status, body, headers } = await shop.open(person);
    expect([status, body.error]).toEqual([503, 'service_unavailable']);
    expect(body.message).toContain('Try again');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    const refused = await shop.post(subscriber, 'cancel');
    expect([refused.status, refused.body.error]).toEqual([503, 'service_unavailable']);
    expect((await shop.me(subscriber)).body).toMatchObject({ tier: 'PREMIUM', subscription: { cancel_at: null } });
    // Afterwards the same request goes on where it was.
    shop.stripe.mode('ok');
    shop.clock.advanceMs(10_000);
    expect((await shop.open(person)).status).toBe(201);
    expect(shop.made(person, 'customer.created')).toHaveLength(1);
  },
);

it.each(['customer', 'session'] as const)(
  'a lost answer about the %s leaves one customer and one page',
  async (which) => {
    const person = shop.billing.person();
    if (which === 'session') {
      const { body } = await shop.open(person, 'premium_yearly');
      await shop.stripe.pay(String(body.session_id), 'declined');
    }
    shop.stripe.mode('lost_answer', 1);
    expect((await shop.open(person)).status).toBe(201);
    expect(shop.made(person, 'customer.created')).toHaveLength(1);
    expect((await shop.checkouts(person)).filter(({ closed_at: closed }) => closed === null)).toHaveLength(1);
  },
);

describe('a provider that is slow', () => {
  // Two calls at this pace are six seconds: more than anybody waits for an answer.
  const slow = () => shop.stripe.mode('slow', Infinity, 3_000);

  it('is waited for as long as one call takes, whatever their number, and each try goes on from there', async () => {
    const person = shop.billing.person();
    slow();
    const began = performance.now();
    const { status, body } = await shop.open(person);
    expect([status, body.error]).toEqual([503, 'service_unavailable']);
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
    const { status, body } = await shop.post(person, 'change-plan', { plan: 'premium_yearly' });
    expect([status, body.error]).toEqual([503, 'service_unavailable']);
    const yearly = { tier: 'PREMIUM', subscription: { plan_code: 'premium_yearly', status: 'ACTIVE' } };
    await eventually(async () => expect((await shop.me(person)).body).toMatchObject(yearly), { withinMs: WITHIN_MS });
    shop.stripe.mode('ok');
    const again = await shop.post(person, 'change-plan', { plan: 'premium_yearly' });
    expect([again.status, again.body]).toMatchObject([200, yearly]);
    const { customer } = shop.subscriptionsOf(person)[0]!;
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
  expect(shop.stripe.events.every(({ pending_webhooks: pending }) => pending === 0)).toBe(true);
  const asked = performance.now();
  expect((await shop.me(buyer)).body).toMatchObject({ tier: 'PREMIUM', subscription: { status: 'ACTIVE' } });
  expect(performance.now() - asked).toBeLessThan(UNAFFECTED_WITHIN_MS);
  expect((await shop.billing.send('/v1/billing/plans')).status).toBe(200);
  expect(isOver).toBe(false);
  const { status, body } = await opening;
  expect([status, body.error]).toEqual([503, 'service_unavailable']);
  expect(performance.now() - began).toBeLessThan(WITHIN_MS);
});
