import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import { CustomerProduct } from './customer-product.fixture';

// A story: each chapter begins where the one before has ended.
jest.setTimeout(60_000);

let product: CustomerProduct;
beforeAll(async () => {
  product = await CustomerProduct.start(new Date('2026-01-01T09:00:00Z'));
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
  const profile = await product.accounts('GET', 'auth/me', { token: await product.token() });
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
type Amounts = Record<(typeof MRR)[number] | (typeof MONEY)[number], string>;

/** The expected figures of operators after the chapters so far. */
const nothing = Object.fromEntries([...MRR, ...MONEY].map((name) => [name, '0.000000'])) as Amounts;
const books = { ...nothing, paid: 0 };

const paidInvoices = () => product.stripe.invoices.filter(({ amount_paid }) => amount_paid > 0);

/** As reporting has them; and its list of paid invoices is that of the provider. */
async function expectBooks(): Promise<void> {
  const period = `from=2026-01-01&to=${product.clock.now().toISOString().slice(0, 10)}`;
  const { mrr, invoices } = (await product.revenue(`subscriptions?${period}`)).body as Record<
    string,
    Record<string, unknown>
  >;
  const exact = (of: Record<string, unknown>, names: readonly string[]) =>
    names.map((name) => [name, (of[name] as { usd_exact: string }).usd_exact]);
  const amounts = Object.fromEntries([...exact(mrr!, MRR), ...exact(invoices!, MONEY)]) as Amounts;
  expect({ ...amounts, paid: invoices!['paid'] }).toEqual(books);

  const { text } = await product.revenue(`invoices.csv?${period}`);
  const [head, ...lines] = text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  const column = (line: string[], name: string) => line[head!.indexOf(name)];
  const paid = lines.filter((line) => column(line, 'kind') === 'paid');
  const booked = paid.map((line) => `${column(line, 'invoice_id')} ${column(line, 'amount_usd')}`).sort();
  const listed = paidInvoices().map(({ id, amount_paid: cents }) => `${id} ${(cents / 100).toFixed(6)}`);
  expect([booked, booked.length]).toEqual([listed.sort(), books.paid]);
}

/** Every chapter ends with what the customer has, what it has changed in the books, and the same invoices in both of them. */
async function ends(expected: Access, changed: Partial<typeof books> = {}): Promise<void> {
  Object.assign(books, changed);
  await soon(async () => {
    expect(await access()).toEqual(expected);
    await expectBooks();
  });
}

const soon = (check: () => Promise<void>) =>
  eventually(
    async () => {
      // Work that is tried again later is due some time, also where only a story moves the clock.
      product.clock.advanceMs(5_000);
      await check();
    },
    { withinMs: 30_000 },
  );

/** The customer and the subscription that lives, as the provider names them. */
function atStripe(): { customer: string; subscription: string } {
  const living = product.stripe.subscriptions.find(({ status }) => status !== 'canceled')!;
  return { customer: living.customer as string, subscription: living.id };
}

async function checkout(): Promise<void> {
  const { status, body } = await product.billing('POST', 'checkout', { plan: 'premium_monthly' });
  expect([status, body['provider']]).toEqual([201, 'stripe']);
  await product.stripe.pay(body['session_id'] as string);
}

const monthly = (status: string, until: string) => ({ tier: 'PREMIUM', plan: 'premium_monthly', status, until });
const yearly = { tier: 'PREMIUM', plan: 'premium_yearly', status: 'ACTIVE', until: '2027-04-23T10:00:00.000Z' };

it('January: a trial begins with a card, and is no revenue', async () => {
  expect((await product.register()).status).toBe(201);
  await ends({ tier: 'FREE', status: null, plan: null, until: null });
  await product.until('2026-01-01T10:00:00Z');
  await checkout();
  await ends(monthly('TRIALING', '2026-01-18T10:00:00.000Z'));
  expect((await product.billing('POST', 'checkout', { plan: 'premium_yearly' })).body.error).toBe('already_subscribed');
});

it('the trial ends and the first invoice is paid; in February it renews by itself', async () => {
  await product.until('2026-01-15T12:00:00Z');
  const sold = { gross: '7.990000', net: '7.990000', new: '7.990000', end: '7.990000' };
  await ends(monthly('ACTIVE', '2026-02-18T10:00:00.000Z'), { paid: 1, ...sold });
  await product.until('2026-02-16T00:00:00Z');
  await ends(monthly('ACTIVE', '2026-03-18T10:00:00.000Z'), { paid: 2, gross: '15.980000', net: '15.980000' });
});

it('March: the payment fails, access goes on for a week, and a better card pays the next try', async () => {
  await product.stripe.setCard(atStripe().customer, 'declines');
  await product.until('2026-03-15T12:00:00Z');
  await ends(monthly('PAST_DUE', '2026-03-22T11:00:00.000Z'));
  const { body } = await product.billing('GET', 'me');
  expect(body['subscription']).toMatchObject({ payment_url: expect.stringMatching(/^http/) });
  await product.until('2026-03-17T12:00:00Z');
  await ends(monthly('PAST_DUE', '2026-03-22T11:00:00.000Z'));
  await product.stripe.setCard(atStripe().customer, 'good');
  await product.until('2026-03-21T12:00:00Z');
  await ends(monthly('ACTIVE', '2026-04-18T10:00:00.000Z'), { paid: 3, gross: '23.970000', net: '23.970000' });
});

it('April: a change to the year is charged at once, less what is left of the month', async () => {
  await product.until('2026-04-20T09:00:00Z');
  await ends(monthly('ACTIVE', '2026-05-18T10:00:00.000Z'), { paid: 4, gross: '31.960000', net: '31.960000' });
  await product.until('2026-04-20T10:00:00Z');
  const preview = await product.billing('POST', 'change-plan', { plan: 'premium_yearly', preview: true });
  const changed = await product.billing('POST', 'change-plan', { plan: 'premium_yearly' });
  expect([preview.status, changed.status, changed.body['tier']]).toEqual([200, 200, 'PREMIUM']);
  expect(paidInvoices().at(-1)!.amount_paid).toBe((preview.body['due_now'] as { cents: number }).cents);
  const smaller = { contraction: '2.990833', end: '4.999167' };
  await ends(yearly, { paid: 5, gross: '85.290000', net: '85.290000', ...smaller });
});

it('May and June: a part is refunded, a dispute is lost, and access stays', async () => {
  await product.until('2026-05-10T09:00:00Z');
  await product.stripe.refund(paidInvoices().at(-1)!.id, 1_000);
  await ends(yearly, { refunded: '10.000000', net: '75.290000' });
  await product.until('2026-06-10T09:00:00Z');
  const dispute = await product.stripe.dispute(paidInvoices()[0]!.id);
  await ends(yearly, { disputed: '7.990000', net: '67.300000' });
  await product.until('2026-06-20T09:00:00Z');
  await product.stripe.closeDispute(dispute, 'lost');
  await ends(yearly);
});

it('July: the customer cancels, and keeps what is paid for to the minute', async () => {
  await product.until('2026-07-01T09:00:00Z');
  const { status, body } = await product.billing('POST', 'cancel');
  expect([status, body['subscription']]).toEqual([200, expect.objectContaining({ cancel_at_period_end: true })]);
  const toTheEnd = { ...yearly, until: '2027-04-20T10:00:00.000Z' };
  await ends(toTheEnd);
  await product.until('2027-04-20T09:59:00Z');
  await ends(toTheEnd);
  await product.until('2027-04-20T10:30:00Z');
  await ends({ ...yearly, tier: 'FREE', status: 'CANCELED', until: null }, { churn: '4.999167', end: '0.000000' });
});

it('a month later the customer returns, without another trial', async () => {
  await product.until('2027-05-20T09:00:00Z');
  await checkout();
  const back = { reactivation: '7.990000', end: '7.990000' };
  await ends(monthly('ACTIVE', '2027-06-23T09:00:00.000Z'), { paid: 6, gross: '93.280000', net: '75.290000', ...back });
});

it('who leaves has no access any more, is forgotten by the provider too, and owes nothing more', async () => {
  await product.until('2027-06-01T09:00:00Z');
  const { subscription } = atStripe();
  const token = await product.token();
  expect((await product.billing('GET', 'me', undefined, token)).body['tier']).toBe('PREMIUM');
  expect((await product.leave()).status).toBe(202);
  Object.assign(books, { churn: '12.989167', end: '0.000000' });
  await soon(async () => {
    expect((await product.billing('GET', 'me', undefined, token)).status).toBe(401);
    expect(product.stripe.subscriptions.find(({ id }) => id === subscription)!.status).toBe('canceled');
    const still = 'SELECT FROM subscriptions WHERE access_until IS NOT NULL';
    expect(await product.databases['billing']!.dataSource.query(still)).toEqual([]);
    await expectBooks();
  });
  expect((await product.accounts('GET', 'auth/me', { token })).status).toBe(401);
  expect(await product.token()).toBeUndefined();
});

it('every book of it adds up', async () => {
  for (const { dataSource } of Object.values(product.databases)) expect(await audit(dataSource)).toEqual([]);
  const micros = (name: (typeof MRR)[number]) => Math.round(Number(books[name]) * 1e6);
  const grown = micros('new') + micros('reactivation') + micros('expansion');
  expect(grown - micros('contraction') - micros('churn')).toBe(micros('end'));
});
