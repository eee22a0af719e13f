import { Shop } from './shop.fixture';

/** A loaded machine gets three times that. */
const WITHIN_MS = 3 * 5_000;

jest.setTimeout(3 * WITHIN_MS);

let shop: Shop;
beforeEach(async () => {
  shop = await Shop.start();
});
afterEach(() => Shop.closeAll());

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

it('what needs no provider is answered while it hangs', async () => {
  const [person, subscriber] = [shop.billing.person(), await shop.subscriber()];
  shop.stripe.mode('hang');
  const began = performance.now();
  const opening = shop.open(person);
  expect((await shop.me(subscriber)).body).toMatchObject({ tier: 'PREMIUM' });
  expect((await shop.billing.send('/v1/billing/plans')).status).toBe(200);
  const { status, body } = await opening;
  expect([status, body.error]).toEqual([503, 'service_unavailable']);
  expect(performance.now() - began).toBeLessThan(WITHIN_MS);
});
