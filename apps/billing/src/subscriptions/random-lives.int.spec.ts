import { randomInt, randomUUID } from 'node:crypto';
import { ManualClock } from '@evenkeel/kernel';
import { DevelopmentStripe } from '@evenkeel/stripe';
import { auditBilling } from '../audited.fixture';
import { Billing, type Person } from '../billing.fixture';
import { ReadProvider } from '../reads/read-provider';
import { Reconcile } from '../reconciliation/reconcile';
import { ProviderOracle } from './provider-oracle.fixture';

/** The same lives with every commit, others at full size; `LIVES_SEED=…` chooses. */
const SEED = Number(process.env['LIVES_SEED']) || sized(21, randomInt(2 ** 31));
const PEOPLE = Number(process.env['LIVES_PEOPLE']) || sized(10, 300);
const ROUNDS = Number(process.env['LIVES_ROUNDS']) || sized(12, 24);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let random = SEED;
const next = () => (random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
const oneOf = <Choice>(choices: readonly Choice[]): Choice => choices[Math.floor(next() * choices.length)]!;

let clock: ManualClock;
let stripe: DevelopmentStripe;
let billing: Billing;
let oracle: ProviderOracle;
let strange: { newsletter: string; consulting: string; euros: string; yen: string };
let former: string[];

beforeAll(async () => {
  clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
  stripe = await DevelopmentStripe.start({ clock, afterRetries: 'unpaid', webhookRetryMs: [] });
  strange = {
    newsletter: stripe.addPrice({ interval: 'month', amountCents: 100 }),
    consulting: stripe.addPrice({ interval: 'month', amountCents: 99_900 }),
    euros: stripe.addPrice({ interval: 'month', amountCents: 900, currency: 'eur' }),
    yen: stripe.addPrice({ interval: 'year', amountCents: 120_000, currency: 'jpy' }),
  };
  const add = (wanted: Omit<Parameters<DevelopmentStripe['addPrice']>[0], 'isOfPlans'>) =>
    stripe.addPrice({ ...wanted, isOfPlans: true });
  former = [
    add({ interval: 'month', amountCents: 499 }),
    add({ interval: 'month', intervalCount: 3, amountCents: 1_999 }),
    add({ interval: 'week', amountCents: 199 }),
    add({ interval: 'year', amountCents: 4_999 }),
    add({ interval: 'month', amountCents: 799, currency: 'eur' }),
    add({ interval: 'year', amountCents: 9_800, currency: 'jpy' }),
  ];
  const prices = former.map((id) => `${id}:premium_monthly`).join(',');
  billing = await Billing.start({ ...stripe.settings(), STRIPE_FORMER_PRICES: prices }, clock);
  stripe.sendTo(`${billing.running.url}/v1/billing/webhook/stripe`);
  oracle = new ProviderOracle(stripe, new Set([...Object.values(stripe.prices), ...former]));
});
afterAll(async () => {
  await billing.close();
  await stripe.close();
});

const query = <Row>(sql: string, values: unknown[] = []) => billing.database.dataSource.query<Row[]>(sql, values);

/** One customer of ours, with whatever else the account sells to them. */
class Life {
  readonly person: Person = billing.person();
  readonly customers = new Set<string>();
  /** The actions so far, for the message of a failure. */
  readonly story: string[] = [];

  get token(): string {
    return billing.tokens.token(this.person.id);
  }

  async step(): Promise<void> {
    const name = oneOf(Object.keys(this.actions));
    this.story.push(`${stripe.now().toISOString()} ${name}`);
    try {
      await this.actions[name]!();
    } catch (error) {
      // Actions that the provider refuses, such as a change of an ended subscription, are skipped.
      if (error instanceof Error && 'matcherResult' in error) throw error;
      this.story.push(`  ${String(error).slice(0, 80)}`);
    }
  }

  private readonly actions: Readonly<Record<string, () => Promise<unknown>>> = {
    buy: () => this.buy(),
    buyYearly: () => this.buy('premium_yearly'),
    buyWithBadCard: () => this.buy('premium_monthly', 'good_then_declines'),
    cancel: () => this.post('cancel'),
    resume: () => this.post('resume'),
    changePlan: () => this.post('change-plan', { plan: oneOf(['premium_monthly', 'premium_yearly']) }),
    cardDeclines: () => stripe.setCard(this.customer(), 'declines'),
    cardPays: () => stripe.setCard(this.customer(), 'good'),
    payInvoice: () => stripe.payInvoice(this.openInvoice()),
    endAnyDay: () => stripe.scheduleEnd(this.one(), new Date(stripe.now().getTime() + next() * 60 * DAY_MS)),
    trial: () => stripe.giveTrial(this.one(), new Date(stripe.now().getTime() + oneOf([3, 10, 40]) * DAY_MS)),
    discount: () => stripe.discount(this.one(), { percentOff: oneOf([10, 25, 50]) }, oneOf(['subscription', 'item'])),
    discountOnce: () => stripe.discount(this.one(), { amountOffCents: 200 }, 'subscription', { duration: 'once' }),
    discountOfMonths: () => stripe.discount(this.one(), { percentOff: 20 }, 'subscription', { months: oneOf([1, 3]) }),
    discountOfOther: () =>
      stripe.discount(this.one(), { percentOff: 90 }, 'subscription', { products: ['prod_of_nobody'] }),
    invoiceByHand: () => stripe.invoiceByHand(this.one(), 1_500, oneOf(['good', 'declines'])),
    addAmount: () => stripe.addAmount(this.one(), 300, new Date(stripe.now().getTime() + 700 * DAY_MS)),
    pauseCollection: () => stripe.pauseCollection(this.one()),
    resumeCollection: () => stripe.resumeCollection(this.one()),
    pause: () => stripe.pause(this.one('active')),
    unpause: () => stripe.resume(this.one('paused')),
    newsletter: () => stripe.sellByHand({ customer: this.customer(), prices: [strange.newsletter] }),
    inEuros: () => stripe.sellByHand({ customer: this.customer(), prices: [oneOf([strange.euros, strange.yen])] }),
    refund: () => stripe.refund(this.paidInvoice(), next() < 0.5 ? undefined : 50),
    former: () => this.sellFormer([oneOf(former)]),
    several: () => this.sellFormer([oneOf(former.slice(0, 4)), oneOf(former.slice(0, 4))]),
    stranger: () => stripe.sellByHand({ prices: [strange.consulting], metadata: { user_id: randomUUID() } }),
    leaveTheProvider: async () => {
      if (next() < 0.3) await stripe.deleteCustomer(this.customer());
    },
  };

  private async buy(plan = 'premium_monthly', card: 'good' | 'good_then_declines' = 'good'): Promise<void> {
    const live = oracle.live(this.person.id, this.customers);
    const { status, body } = await this.post('checkout', { plan });
    // Whatever the news: nobody is sold a second one.
    expect([live.length > 0, status, this.story]).toEqual([live.length > 0, live.length > 0 ? 400 : 201, this.story]);
    if (status !== 201) return;
    await stripe.pay(String(body['session_id']), card);
    const bought = stripe.subscriptions.at(-1)!;
    this.customers.add(bought.customer as string);
  }

  /** One of theirs, for which the user is named or whose customer they are. */
  private async sellFormer(prices: string[]): Promise<void> {
    if (new Set(prices.map((id) => former.indexOf(id) >= 4)).size > 1) return;
    const metadata = { user_id: this.person.id };
    const id = await stripe.sellByHand({ ...(next() < 0.5 && { customer: this.customer() }), prices, metadata });
    this.customers.add(stripe.subscriptions.find((one) => one.id === id)!.customer as string);
  }

  private post(route: string, body?: object) {
    return billing.ask('POST', `/v1/billing/${route}`, { token: this.token, body });
  }

  private customer(): string {
    const customer = [...this.customers].at(-1);
    if (customer === undefined) throw new Error('no customer yet');
    return customer;
  }

  private one(status?: string): string {
    const found = stripe.subscriptions.findLast(
      (one) => this.customers.has(one.customer as string) && (status === undefined || one.status === status),
    );
    if (!found) throw new Error('no subscription');
    return found.id;
  }

  /** Also of what is not ours. */
  private paidInvoice(): string {
    const paid = stripe.invoices.filter(
      ({ status, customer, amount_paid: cents }) =>
        status === 'paid' && cents > 0 && this.customers.has(customer as string),
    );
    if (paid.length === 0) throw new Error('nothing is paid');
    return oneOf(paid).id;
  }

  private openInvoice(): string {
    const found = stripe.invoices.findLast(
      ({ status, customer }) => status === 'open' && this.customers.has(customer as string),
    );
    if (!found) throw new Error('no open invoice');
    return found.id;
  }
}

/** Delivers late events; the comparison finds lost ones, and a read ends what is unsure. */
async function settle(isLost: boolean): Promise<void> {
  stripe.mode('ok');
  if (isLost) await billing.app.get(Reconcile, { strict: false }).execute();
  else await stripe.deliverHeldBack();
  for (let tries = 0; tries < 6; tries++) {
    await stripe.advance(new Date(stripe.now().getTime() + 60_000));
    while (await billing.app.get(ReadProvider).execute());
    if (
      (await query('SELECT FROM provider_reads WHERE due_at < $1', [new Date(stripe.now().getTime() + HOUR_MS)]))
        .length === 0
    )
      return;
  }
}

interface Published {
  subscriptions: {
    status: string;
    interval: string | null;
    recurringMicros: number;
    collectionPaused: boolean;
  }[];
}

function mrrOf({ subscriptions }: Published): number {
  return subscriptions
    .filter(({ status, collectionPaused }) => ['ACTIVE', 'PAST_DUE'].includes(status) && !collectionPaused)
    .reduce(
      (sum, { interval, recurringMicros }) => sum + Math.round(recurringMicros / (interval === 'year' ? 12 : 1)),
      0,
    );
}

async function expectAsTheProviderSays(life: Life): Promise<void> {
  const { person, customers, story } = life;
  const { body } = await billing.ask('GET', '/v1/billing/me', { token: life.token });
  const until = oracle.premiumUntil(person.id, customers)?.toISOString() ?? null;
  const events = await billing.events(person.id);
  const last = events.findLast(({ type }) => type === 'subscription.changed');
  const mrr = last ? mrrOf(last.data as unknown as Published) : 0;
  const sumOf = (wanted: string) =>
    events.filter(({ type }) => type === wanted).reduce((sum, { data }) => sum + Number(data['amountMicros']), 0);
  const [gross, refunded] = [sumOf('invoice.paid'), sumOf('invoice.adjusted')];
  const seen = { tier: body['tier'], until: body['premium_until'], mrr, gross, refunded };
  const expected = {
    tier: until === null ? 'FREE' : 'PREMIUM',
    until,
    mrr: oracle.mrrMicros(person.id, customers),
    gross: oracle.grossMicros(person.id, customers),
    refunded: oracle.refundedMicros(person.id, customers),
  };
  expect({ seed: SEED, ...seen, story }).toEqual({ seed: SEED, ...expected, story });
}

it(
  `${PEOPLE} lives of seed ${SEED} at the provider: tier, recurring revenue and money are what its own objects say`,
  async () => {
    const lives = Array.from({ length: PEOPLE }, () => new Life());
    for (let round = 0; round < ROUNDS; round++) {
      const news = oneOf(['ok', 'late', 'lost', 'doubled', 'shuffled'] as const);
      stripe.mode(news);
      for (const life of lives) await life.step();
      await stripe.advance(new Date(stripe.now().getTime() + oneOf([0.1, 1, 2, 2.5]) * DAY_MS));
      await settle(news === 'lost');
      for (const life of lives) await expectAsTheProviderSays(life);
      // Quiet weeks, with all news.
      await stripe.advance(new Date(stripe.now().getTime() + oneOf([0, 3, 12, 35]) * DAY_MS));
      await settle(false);
      for (const life of lives) await expectAsTheProviderSays(life);
    }
    const double = (await auditBilling(billing.database.dataSource)) as { what?: string }[];
    expect(double.filter(({ what }) => what !== 'somebody pays for two subscriptions at once')).toEqual([]);
  },
  Math.max(300_000, PEOPLE * ROUNDS * 2_500),
);
