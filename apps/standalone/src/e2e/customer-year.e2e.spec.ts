import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import { CustomerProduct } from './customer-product.fixture';

// A story: each chapter begins where the one before has ended.
jest.setTimeout(60_000);

let product: CustomerProduct;
beforeAll(async () => {
  product = await CustomerProduct.start(new Date('2026-01-01T09:00:00Z'), { BILLING_TRIAL_DAYS: '14' });
});
afterAll(() => product.close());

interface Access {
  tier: string;
  status: string | null;
  plan: string | null;
  until: string | null;
}

/** The customer's view at both services. */
async function access(): Promise<Access> {
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

const MRR = ['new', 'reactivation', 'expansion', 'contraction', 'churn', 'end'] as const;
const MONEY = ['gross', 'tax', 'refunded', 'disputed', 'net'] as const;
type Books = Record<(typeof MRR)[number] | (typeof MONEY)[number], string> & { paid: number };

/** The expected figures of operators after the chapters so far. */
const books = { paid: 0 } as Books;
for (const name of [...MRR, ...MONEY]) books[name] = '0.000000';

const today = () => product.clock.now().toISOString().slice(0, 10);

async function revenue(): Promise<Books> {
  const { body } = await product.revenue(`subscriptions?from=2026-01-01&to=${today()}`);
  const { mrr, invoices } = body as Record<string, Record<string, { usd_exact: string }>>;
  const exact = (of: typeof mrr, names: readonly string[]) => names.map((name) => [name, of![name]!.usd_exact]);
  const amounts = Object.fromEntries([...exact(mrr, MRR), ...exact(invoices, MONEY)]) as Books;
  return { ...amounts, paid: invoices!['paid'] as unknown as number };
}

/** Every chapter ends with what the customer has, what it has changed in the books, and the same invoices in both of them. */
async function ends(expected: Access, changed: Partial<Books> = {}): Promise<void> {
  Object.assign(books, changed);
  await eventually(
    async () => {
      // Work that is tried again later is due some time, also where only a story moves the clock.
      product.clock.advanceMs(5_000);
      expect(await access()).toEqual(expected);
      await expectBooks();
    },
    { withinMs: 20_000 },
  );
}

async function expectBooks(): Promise<void> {
  expect(await revenue()).toEqual(books);
  const { booked, listed } = await invoices();
  expect([booked, booked.length]).toEqual([listed, books.paid]);
}

/** The customer and the subscription that lives, as the provider names them. */
function atStripe(): { customer: string; subscription: string } {
  const living = product.stripe.subscriptions.find(({ status }) => status !== 'canceled')!;
  return { customer: living.customer as string, subscription: living.id };
}

const paidInvoices = () => product.stripe.invoices.filter(({ amount_paid }) => amount_paid > 0);

/** The paid invoices: as reporting has booked them, and as the provider lists them. */
async function invoices(): Promise<{ booked: string[]; listed: string[] }> {
  const { text } = await product.revenue(`invoices.csv?from=2026-01-01&to=${today()}`);
  const [head, ...lines] = text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  const place = (name: string) => head!.indexOf(name);
  const paid = lines.filter((line) => line[place('kind')] === 'paid');
  return {
    booked: paid.map((line) => `${line[place('invoice_id')]} ${line[place('amount_usd')]}`).sort(),
    listed: paidInvoices()
      .map(({ id, amount_paid: cents }) => `${id} ${(cents / 100).toFixed(6)}`)
      .sort(),
  };
}

const MONTHLY = { tier: 'PREMIUM', plan: 'premium_monthly' };
const YEARLY = { tier: 'PREMIUM', plan: 'premium_yearly', status: 'ACTIVE' };

it('January: a trial begins with a card, and is no revenue', async () => {
  expect((await product.register()).status).toBe(201);
  await ends({ tier: 'FREE', status: null, plan: null, until: null });
  await product.until('2026-01-01T10:00:00Z');
  const { status, body } = await product.billing('POST', 'checkout', { plan: 'premium_monthly' });
  expect([status, body['provider']]).toEqual([201, 'stripe']);
  await product.stripe.pay(body['session_id'] as string);
  await ends({ ...MONTHLY, status: 'TRIALING', until: '2026-01-18T10:00:00.000Z' });
  expect((await product.billing('POST', 'checkout', { plan: 'premium_yearly' })).body.error).toBe('already_subscribed');
});

it('the trial ends and the first invoice is paid', async () => {
  await product.until('2026-01-15T12:00:00Z');
  await ends(
    { ...MONTHLY, status: 'ACTIVE', until: '2026-02-18T10:00:00.000Z' },
    { paid: 1, gross: '7.990000', net: '7.990000', new: '7.990000', end: '7.990000' },
  );
});

it('February: it renews by itself', async () => {
  await product.until('2026-02-16T00:00:00Z');
  await ends(
    { ...MONTHLY, status: 'ACTIVE', until: '2026-03-18T10:00:00.000Z' },
    { paid: 2, gross: '15.980000', net: '15.980000' },
  );
});

it('March: the payment fails, access goes on for a week, and the provider tries again', async () => {
  await product.stripe.setCard(atStripe().customer, 'declines');
  await product.until('2026-03-15T12:00:00Z');
  const failing = { ...MONTHLY, status: 'PAST_DUE', until: '2026-03-22T11:00:00.000Z' };
  await ends(failing);
  const { body } = await product.billing('GET', 'me');
  expect(body['subscription']).toMatchObject({ payment_url: expect.stringMatching(/^http/) });
  await product.until('2026-03-17T12:00:00Z');
  await ends(failing);
});

it('a better card pays the next try', async () => {
  await product.stripe.setCard(atStripe().customer, 'good');
  await product.until('2026-03-21T12:00:00Z');
  await ends(
    { ...MONTHLY, status: 'ACTIVE', until: '2026-04-18T10:00:00.000Z' },
    { paid: 3, gross: '23.970000', net: '23.970000' },
  );
});

it('April: a change to the year is charged at once, less what is left of the month', async () => {
  await product.until('2026-04-20T09:00:00Z');
  await ends(
    { ...MONTHLY, status: 'ACTIVE', until: '2026-05-18T10:00:00.000Z' },
    { paid: 4, gross: '31.960000', net: '31.960000' },
  );
  await product.until('2026-04-20T10:00:00Z');
  const preview = await product.billing('POST', 'change-plan', { plan: 'premium_yearly', preview: true });
  expect(preview.status).toBe(200);
  const changed = await product.billing('POST', 'change-plan', { plan: 'premium_yearly' });
  expect([changed.status, changed.body['tier']]).toEqual([200, 'PREMIUM']);
  const due = (preview.body['due_now'] as { cents: number }).cents;
  expect(paidInvoices().at(-1)!.amount_paid).toBe(due);
  await ends(
    { ...YEARLY, until: '2027-04-23T10:00:00.000Z' },
    { paid: 5, gross: '85.290000', net: '85.290000', contraction: '2.990833', end: '4.999167' },
  );
});

it('May: part of it is refunded, and access stays', async () => {
  await product.until('2026-05-10T09:00:00Z');
  await product.stripe.refund(paidInvoices().at(-1)!.id, 1_000);
  await ends({ ...YEARLY, until: '2027-04-23T10:00:00.000Z' }, { refunded: '10.000000', net: '75.290000' });
});

it('June: a dispute is lost, and a person decides what follows', async () => {
  await product.until('2026-06-10T09:00:00Z');
  const dispute = await product.stripe.dispute(paidInvoices()[0]!.id);
  const stays = { ...YEARLY, until: '2027-04-23T10:00:00.000Z' };
  await ends(stays, { disputed: '7.990000', net: '67.300000' });
  await product.until('2026-06-20T09:00:00Z');
  await product.stripe.closeDispute(dispute, 'lost');
  await ends(stays);
});

it('July: the customer cancels, and keeps what is paid for to the minute', async () => {
  await product.until('2026-07-01T09:00:00Z');
  const { status, body } = await product.billing('POST', 'cancel');
  expect([status, body['subscription']]).toEqual([200, expect.objectContaining({ cancel_at_period_end: true })]);
  const toTheEnd = { ...YEARLY, until: '2027-04-20T10:00:00.000Z' };
  await ends(toTheEnd);
  await product.until('2027-04-20T09:59:00Z');
  await ends(toTheEnd);
  await product.until('2027-04-20T10:30:00Z');
  await ends({ ...YEARLY, tier: 'FREE', status: 'CANCELED', until: null }, { churn: '4.999167', end: '0.000000' });
});

it('a month later the customer returns, without another trial', async () => {
  await product.until('2027-05-20T09:00:00Z');
  const { body } = await product.billing('POST', 'checkout', { plan: 'premium_monthly' });
  await product.stripe.pay(body['session_id'] as string);
  await ends(
    { ...MONTHLY, status: 'ACTIVE', until: '2027-06-23T09:00:00.000Z' },
    { paid: 6, gross: '93.280000', net: '75.290000', reactivation: '7.990000', end: '7.990000' },
  );
});

it('who leaves has no access any more, is forgotten by the provider too, and owes nothing more', async () => {
  await product.until('2027-06-01T09:00:00Z');
  const { subscription } = atStripe();
  const token = await product.token();
  expect((await product.billing('GET', 'me', undefined, token)).body['tier']).toBe('PREMIUM');
  expect((await product.leave()).status).toBe(202);
  Object.assign(books, { churn: '12.989167', end: '0.000000' });
  await eventually(
    async () => {
      product.clock.advanceMs(5_000);
      expect((await product.billing('GET', 'me', undefined, token)).status).toBe(401);
      expect(product.stripe.subscriptions.find(({ id }) => id === subscription)!.status).toBe('canceled');
      const access = 'SELECT access_until FROM subscriptions WHERE access_until IS NOT NULL';
      expect(await product.databases.billing.dataSource.query(access)).toEqual([]);
      await expectBooks();
    },
    { withinMs: 30_000 },
  );
  expect((await product.accounts('GET', '/v1/auth/me', { token })).status).toBe(401);
  expect(await product.token()).toBeUndefined();
});

it('every book of it adds up', async () => {
  for (const { dataSource } of Object.values(product.databases)) expect(await audit(dataSource)).toEqual([]);
  await expectBooks();
  const micros = (name: (typeof MRR)[number]) => Math.round(Number(books[name]) * 1e6);
  const grown = micros('new') + micros('reactivation') + micros('expansion');
  expect(grown - micros('contraction') - micros('churn')).toBe(micros('end'));
});
