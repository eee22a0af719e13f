import { audit } from '@evenkeel/audit';
import { eventually } from '@evenkeel/platform/testing';
import { CustomerProduct } from './customer-product.fixture';

// A story: each chapter begins where the one before has ended.
jest.setTimeout(60_000);

let product: CustomerProduct;
beforeAll(async () => {
  product = await CustomerProduct.start(new Date('2026-01-01T09:00:00Z'), { BILLING_TRIAL_DAYS: '14' });
});
afterAll(() => product.close());

interface Billing {
  tier: string;
  status: string | null;
  plan: string | null;
  until: string | null;
}

/** What the customer sees, at both services that know of it. */
async function access(): Promise<Billing> {
  const { body } = await product.billing('GET', 'me');
  const profile = await product.accounts('GET', '/v1/auth/me', { token: await product.token() });
  expect(profile.body['tier']).toBe(body['tier']);
  const subscription = body['subscription'] as { status: string; plan_code: string } | null;
  return {
    tier: body['tier'] as string,
    status: subscription?.status ?? null,
    plan: subscription?.plan_code ?? null,
    until: body['premium_until'] as string | null,
  };
}

interface Revenue {
  mrr: string;
  paid: number;
  gross: string;
  net: string;
  refunded: string;
  disputed: string;
}

/** What operators see of a year up to now. */
async function revenue(): Promise<Revenue> {
  const { body } = await product.revenue('subscriptions?days=365');
  const { mrr, invoices } = body as unknown as {
    mrr: { end: { usd_exact: string } };
    invoices: Record<'gross' | 'net' | 'refunded' | 'disputed', { usd_exact: string }> & { paid: number };
  };
  const { gross, net, refunded, disputed, paid } = invoices;
  return {
    ...{ mrr: mrr.end.usd_exact, paid, gross: gross.usd_exact, net: net.usd_exact },
    ...{ refunded: refunded.usd_exact, disputed: disputed.usd_exact },
  };
}

async function ends(expected: { access: Partial<Billing>; revenue: Partial<Revenue> }): Promise<void> {
  await eventually(
    async () => {
      // Work that is tried again later is due some time, also where only a story moves the clock.
      product.clock.advanceMs(5_000);
      expect(await access()).toMatchObject(expected.access);
      expect(await revenue()).toMatchObject(expected.revenue);
    },
    { withinMs: 20_000 },
  );
}

/** The customer and the subscription that lives, as the provider names them. */
function atStripe(): { customer: string; subscription: string } {
  const living = product.stripe.subscriptions.find(({ status }) => status !== 'canceled')!;
  return { customer: living.customer as string, subscription: living.id };
}

const paidInvoices = () => product.stripe.invoices.filter(({ amount_paid }) => amount_paid > 0);

/** The paid invoices of the last year: as reporting has booked them, and as the provider lists them. */
async function invoices(): Promise<{ booked: string[]; listed: string[] }> {
  const { text } = await product.revenue('invoices.csv?days=365');
  const [head, ...lines] = text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  const place = (name: string) => head!.indexOf(name);
  const paid = lines.filter((line) => line[place('kind')] === 'paid');
  const since = product.clock.now().getTime() / 1_000 - 365 * 86_400;
  const listed = paidInvoices().filter(({ status_transitions: { paid_at: at } }) => at! >= since);
  return {
    booked: paid.map((line) => `${line[place('invoice_id')]} ${line[place('amount_usd')]}`).sort(),
    listed: listed.map(({ id, amount_paid: cents }) => `${id} ${(cents / 100).toFixed(6)}`).sort(),
  };
}

it('January: a trial begins with a card, and is no revenue', async () => {
  expect((await product.register()).status).toBe(201);
  expect(await access()).toEqual({ tier: 'FREE', status: null, plan: null, until: null });
  const { status, body } = await product.billing('POST', 'checkout', { plan: 'premium_monthly' });
  expect([status, body['provider']]).toEqual([201, 'stripe']);
  await product.stripe.pay(body['session_id'] as string);
  await ends({ access: { tier: 'PREMIUM', status: 'TRIALING' }, revenue: { mrr: '0.000000', paid: 0 } });
  expect((await product.billing('POST', 'checkout', { plan: 'premium_yearly' })).body.error).toBe('already_subscribed');
});

it('the trial ends and the first invoice is paid', async () => {
  await product.until('2026-01-15T12:00:00Z');
  await ends({
    access: { tier: 'PREMIUM', status: 'ACTIVE', plan: 'premium_monthly', until: '2026-02-18T09:00:00.000Z' },
    revenue: { mrr: '7.990000', paid: 1, gross: '7.990000' },
  });
});

it('February: it renews by itself', async () => {
  await product.until('2026-02-16T00:00:00Z');
  await ends({
    access: { status: 'ACTIVE', until: '2026-03-18T09:00:00.000Z' },
    revenue: { paid: 2, mrr: '7.990000' },
  });
});

it('March: the payment fails, access goes on for a week, and the provider tries again', async () => {
  await product.stripe.setCard(atStripe().customer, 'declines');
  await product.until('2026-03-15T12:00:00Z');
  await ends({ access: { tier: 'PREMIUM', status: 'PAST_DUE' }, revenue: { paid: 2, mrr: '7.990000' } });
  const { body } = await product.billing('GET', 'me');
  expect(body['subscription']).toMatchObject({ payment_url: expect.stringMatching(/^http/) });
  await product.until('2026-03-17T12:00:00Z');
  await ends({ access: { tier: 'PREMIUM', status: 'PAST_DUE' }, revenue: { paid: 2 } });
});

it('a better card pays the next try', async () => {
  await product.stripe.setCard(atStripe().customer, 'good');
  await product.until('2026-03-21T12:00:00Z');
  await ends({
    access: { status: 'ACTIVE', until: '2026-04-18T09:00:00.000Z' },
    revenue: { paid: 3, gross: '23.970000', mrr: '7.990000' },
  });
});

it('April: a change to the year is charged at once, less what is left of the month', async () => {
  await product.until('2026-04-20T09:00:00Z');
  const preview = await product.billing('POST', 'change-plan', { plan: 'premium_yearly', preview: true });
  expect(preview.status).toBe(200);
  const changed = await product.billing('POST', 'change-plan', { plan: 'premium_yearly' });
  expect([changed.status, changed.body['tier']]).toEqual([200, 'PREMIUM']);
  const due = (preview.body['due_now'] as { cents: number }).cents;
  expect(paidInvoices().at(-1)!.amount_paid).toBe(due);
  await ends({ access: { status: 'ACTIVE', plan: 'premium_yearly' }, revenue: { paid: 5, mrr: '4.999167' } });
});

it('May: part of it is refunded, and access stays', async () => {
  await product.until('2026-05-10T09:00:00Z');
  await product.stripe.refund(paidInvoices().at(-1)!.id, 1_000);
  await ends({ access: { tier: 'PREMIUM', status: 'ACTIVE' }, revenue: { refunded: '10.000000', mrr: '4.999167' } });
});

it('June: a dispute is lost, and a person decides what follows', async () => {
  await product.until('2026-06-10T09:00:00Z');
  const dispute = await product.stripe.dispute(paidInvoices()[0]!.id);
  await ends({ access: { tier: 'PREMIUM' }, revenue: { disputed: '7.990000' } });
  await product.until('2026-06-20T09:00:00Z');
  await product.stripe.closeDispute(dispute, 'lost');
  await ends({ access: { tier: 'PREMIUM' }, revenue: { disputed: '7.990000', refunded: '10.000000' } });
});

it('July: the customer cancels, and keeps what is paid for to the minute', async () => {
  await product.until('2026-07-01T09:00:00Z');
  const { status, body } = await product.billing('POST', 'cancel');
  expect([status, body['subscription']]).toEqual([200, expect.objectContaining({ cancel_at_period_end: true })]);
  await ends({ access: { tier: 'PREMIUM', until: '2027-04-20T09:00:00.000Z' }, revenue: { mrr: '4.999167' } });
  const { booked, listed } = await invoices();
  expect([booked, booked.length]).toEqual([listed, 5]);
  await product.until('2027-04-20T08:59:00Z');
  await ends({ access: { tier: 'PREMIUM' }, revenue: { mrr: '4.999167' } });
  await product.until('2027-04-20T09:30:00Z');
  await ends({ access: { tier: 'FREE', until: null }, revenue: { mrr: '0.000000' } });
});

it('a month later the customer returns, without another trial', async () => {
  await product.until('2027-05-20T09:00:00Z');
  const { body } = await product.billing('POST', 'checkout', { plan: 'premium_monthly' });
  await product.stripe.pay(body['session_id'] as string);
  await ends({ access: { tier: 'PREMIUM', status: 'ACTIVE', plan: 'premium_monthly' }, revenue: { mrr: '7.990000' } });
  const { body: seen } = await product.revenue('subscriptions?days=30');
  expect((seen['mrr'] as Record<string, { usd_exact: string }>)['reactivation']!.usd_exact).toBe('7.990000');
});

it('who leaves is forgotten by the provider too, and owes nothing more', async () => {
  await product.until('2027-06-01T09:00:00Z');
  const { subscription } = atStripe();
  expect((await product.leave()).status).toBe(202);
  await eventually(
    async () => {
      product.clock.advanceMs(60_000);
      expect(product.stripe.subscriptions.find(({ id }) => id === subscription)!.status).toBe('canceled');
      expect(await revenue()).toMatchObject({ mrr: '0.000000' });
    },
    { withinMs: 30_000 },
  );
});

it('every book of it adds up', async () => {
  for (const { dataSource } of Object.values(product.databases)) expect(await audit(dataSource)).toEqual([]);
  const { booked, listed } = await invoices();
  expect([booked, booked.length]).toEqual([listed, 1]);
  const { body } = await product.revenue('subscriptions?days=365');
  const mrr = body['mrr'] as Record<string, { usd_exact: string }>;
  const micros = (name: string) => Math.round(Number(mrr[name]!.usd_exact) * 1e6);
  const grown = micros('start') + micros('new') + micros('reactivation') + micros('expansion');
  expect(grown - micros('contraction') - micros('churn')).toBe(micros('end'));
});
