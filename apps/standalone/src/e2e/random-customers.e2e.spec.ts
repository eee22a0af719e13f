import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import fc from 'fast-check';
import type Stripe from 'stripe';
import { CustomerProduct } from './customer-product.fixture';
import { HISTORIES, RandomCustomers, type Turn } from './random-customers.fixture';

/** `CUSTOMERS_SEED=… npx jest apps/standalone/src/e2e/random-customers` repeats a run. */
const SEED = Number(process.env['CUSTOMERS_SEED']) || Math.floor(Math.random() * 2 ** 31);
const RUNS = sized(2, 40);
const DAY_MS = 86_400_000;
/** A report looks back so far. */
const DAYS = 1_000;
const MICROS_PER_CENT = 10_000;

let product: CustomerProduct;
let customers: RandomCustomers;
beforeAll(async () => {
  product = await CustomerProduct.start(new Date('2026-01-31T09:00:00Z'));
  customers = new RandomCustomers(product);
}, 60_000);
afterAll(() => product.close());

const dayOf = (at: Date) => at.toISOString().slice(0, 10);
const firstDay = () => dayOf(new Date(product.clock.now().getTime() - (DAYS - 1) * DAY_MS));
const window = () => `from=${firstDay()}&to=${dayOf(product.clock.now())}`;
const exact = (micros: number) => `${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, '0')}`;

/** Lines of the file of invoices: what it is, its id, its amount. */
async function booked(): Promise<string[]> {
  const { text } = await product.revenue(`invoices.csv?${window()}`);
  const [head, ...lines] = text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  const member = (line: string[], name: string) => line[head!.indexOf(name)]!;
  return lines
    .map((line) => [
      member(line, 'kind'),
      member(line, 'adjustment_id') || member(line, 'invoice_id'),
      member(line, 'amount_usd'),
    ])
    .map((line) => line.join(' '))
    .sort();
}

/** The same of the provider's own lists. */
async function listed(): Promise<string[]> {
  const { client } = customers;
  const limit = 100;
  const since = Date.parse(firstDay()) / 1_000;
  const lines: string[] = [];
  const add = (kind: string, id: string, cents: number, at: number) => {
    if (cents > 0 && at >= since) lines.push(`${kind} ${id} ${exact(cents * MICROS_PER_CENT)}`);
  };
  for await (const { id, amount_paid: cents, status_transitions: at } of client.invoices.list({
    limit,
    status: 'paid',
  })) {
    add('paid', id, cents, at.paid_at!);
  }
  for await (const { id, amount, created, status } of client.refunds.list({ limit })) {
    add('refund', id, amount, created);
    if (status === 'failed') add('refund_failed', id, amount, created);
  }
  for await (const { id, amount, created, status } of client.disputes.list({ limit })) {
    add('dispute', id, amount, created);
    if (status === 'won') add('dispute_won', id, amount, created);
  }
  return lines.sort();
}

/** MRR by the provider's own list of subscriptions. */
async function mrrThere(): Promise<string> {
  let micros = 0;
  for await (const { status, items } of customers.client.subscriptions.list({ limit: 100, status: 'all' })) {
    if (status !== 'active' && status !== 'past_due') continue;
    const { unit_amount: cents, recurring } = (items.data[0] as Stripe.SubscriptionItem).price;
    const all = cents! * MICROS_PER_CENT;
    micros += recurring!.interval === 'year' ? Math.floor((2 * all + 12) / 24) : all;
  }
  return exact(micros);
}

interface Mrr {
  mrr: Record<'start' | 'new' | 'reactivation' | 'expansion' | 'contraction' | 'churn' | 'end', { usd_exact: string }>;
}

async function expectSameBooks(): Promise<void> {
  expect(await booked()).toEqual(await listed());
  const { body } = await product.revenue(`subscriptions?${window()}`);
  const { mrr } = body as unknown as Mrr;
  expect(mrr.end.usd_exact).toBe(await mrrThere());
  const micros = (name: keyof Mrr['mrr']) => BigInt(mrr[name].usd_exact.replace('.', ''));
  const grown = micros('start') + micros('new') + micros('reactivation') + micros('expansion');
  expect(grown - micros('contraction') - micros('churn')).toBe(micros('end'));
  const waiting = await product.databases.billing.dataSource.query<object[]>('SELECT id FROM provider_reads');
  expect(waiting).toEqual([]);
}

async function check(turns: Turn[]): Promise<void> {
  await customers.live(turns);
  const settled = async () => {
    // What is read at the provider, and what is tried again, is due some time.
    product.clock.advanceMs(60_000);
    await expectSameBooks();
  };
  await eventually(settled, { withinMs: 60_000 });
  for (const { dataSource } of Object.values(product.databases)) expect(await audit(dataSource)).toEqual([]);
  await customers.endAll();
}

it(
  `histories of seed ${SEED}: invoices, refunds, disputes and MRR are those of the provider's own lists`,
  async () => {
    await fc.assert(fc.asyncProperty(HISTORIES, check), { seed: SEED, numRuns: RUNS, endOnFailure: true });
  },
  sized(180_000, 3_600_000),
);
