import { randomInt, randomUUID } from 'node:crypto';
import { auditBilling } from '../audited.fixture';
import { DAY_MS, Shop } from '../checkout/shop.fixture';
import { ReadProvider } from '../reads/read-provider';
import { Reconcile } from '../reconciliation/reconcile';
import { ProviderOracle } from './provider-oracle.fixture';

/** The same lives with every commit, others at full size; `LIVES_SEED=…` chooses. */
const SEED = Number(process.env['LIVES_SEED']) || sized(21, randomInt(2 ** 31));
const PEOPLE = Number(process.env['LIVES_PEOPLE']) || sized(10, 300);
const ROUNDS = Number(process.env['LIVES_ROUNDS']) || sized(12, 24);
const HOUR_MS = 3_600_000;

let random = SEED;
const next = () => (random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
const oneOf = <Choice>(choices: readonly Choice[]): Choice => choices[Math.floor(next() * choices.length)]!;

let shop: Shop;
let stripe: Shop['stripe'];
let oracle: ProviderOracle;
let strange: Record<'newsletter' | 'consulting' | 'euros' | 'yen', string>;
/** Prices of plans that are not sold any more: four in dollars, then two in other currencies. */
let former: string[];

beforeAll(async () => {
  // Their ids are settings, so that they are made before the service starts.
  const formerPrices = Array.from({ length: 6 }, (_, index) => `price_former${index}`);
  const settings = { STRIPE_FORMER_PRICES: formerPrices.map((id) => `${id}:premium_monthly`).join(',') };
  shop = await Shop.start(settings, { afterRetries: 'unpaid', webhookRetryMs: [] });
  ({ stripe } = shop);
  strange = {
    newsletter: stripe.addPrice({ interval: 'month', amountCents: 100 }),
    consulting: stripe.addPrice({ interval: 'month', amountCents: 99_900 }),
    euros: stripe.addPrice({ interval: 'month', amountCents: 900, currency: 'eur' }),
    yen: stripe.addPrice({ interval: 'year', amountCents: 120_000, currency: 'jpy' }),
  };
  former = [
    { interval: 'month', amountCents: 499 } as const,
    { interval: 'month', intervalCount: 3, amountCents: 1_999 } as const,
    { interval: 'week', amountCents: 199 } as const,
    { interval: 'year', amountCents: 4_999 } as const,
    { interval: 'month', amountCents: 799, currency: 'eur' } as const,
    { interval: 'year', amountCents: 9_800, currency: 'jpy' } as const,
  ].map((price, index) => stripe.addPrice({ ...price, id: formerPrices[index]!, isOfPlans: true }));
  oracle = new ProviderOracle(stripe, new Set([...Object.values(stripe.prices), ...former]));
});
afterAll(() => Shop.closeAll());

const inDays = (days: number) => new Date(stripe.now().getTime() + days * DAY_MS);

/** One customer of ours, with whatever else the account sells to them. */
class Life {
  readonly id = shop.billing.person().id;
  readonly customers = new Set<string>();
  /** The actions so far, for the message of a failure. */
  readonly story: string[] = [];

  /** As one who has just signed in. */
  get person() {
    return { id: this.id, token: shop.billing.tokens.token(this.id) };
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
    cancel: () => shop.post(this.person, 'cancel'),
    resume: () => shop.post(this.person, 'resume'),
    changePlan: () => shop.post(this.person, 'change-plan', { plan: oneOf(['premium_monthly', 'premium_yearly']) }),
    cardDeclines: () => stripe.setCard(this.customer, 'declines'),
    cardPays: () => stripe.setCard(this.customer, 'good'),
    payInvoice: () => stripe.payInvoice(this.invoices(({ status }) => status === 'open').at(-1)!.id),
    endAnyDay: () => stripe.scheduleEnd(this.one(), inDays(next() * 60)),
    trial: () => stripe.giveTrial(this.one(), inDays(oneOf([3, 10, 40]))),
    discount: () => stripe.discount(this.one(), { percentOff: oneOf([10, 25, 50]) }, oneOf(['subscription', 'item'])),
    discountOnce: () => stripe.discount(this.one(), { amountOffCents: 200 }, 'subscription', { duration: 'once' }),
    discountOfMonths: () => stripe.discount(this.one(), { percentOff: 20 }, 'subscription', { months: oneOf([1, 3]) }),
    discountOfOther: () =>
      stripe.discount(this.one(), { percentOff: 90 }, 'subscription', { products: ['prod_of_nobody'] }),
    invoiceByHand: () => stripe.invoiceByHand(this.one(), 1_500, oneOf(['good', 'declines'])),
    addAmount: () => stripe.addAmount(this.one(), 300, inDays(700)),
    pauseCollection: () => stripe.pauseCollection(this.one()),
    resumeCollection: () => stripe.resumeCollection(this.one()),
    pause: () => stripe.pause(this.one('active')),
    unpause: () => stripe.resume(this.one('paused')),
    newsletter: () => stripe.sellByHand({ customer: this.customer, prices: [strange.newsletter] }),
    inEuros: () => stripe.sellByHand({ customer: this.customer, prices: [oneOf([strange.euros, strange.yen])] }),
    // Also of what is not ours.
    refund: () =>
      stripe.refund(
        oneOf(this.invoices(({ status, amount_paid: cents }) => status === 'paid' && cents > 0)).id,
        next() < 0.5 ? undefined : 50,
      ),
    former: () => this.sellFormer([oneOf(former)]),
    several: () => this.sellFormer([oneOf(former.slice(0, 4)), oneOf(former.slice(0, 4))]),
    stranger: () => stripe.sellByHand({ prices: [strange.consulting], metadata: { user_id: randomUUID() } }),
    leaveTheProvider: async () => {
      if (next() < 0.3) await stripe.deleteCustomer(this.customer);
    },
  };

  private async buy(
    plan: 'premium_monthly' | 'premium_yearly' = 'premium_monthly',
    card: 'good' | 'good_then_declines' = 'good',
  ) {
    const isLive = oracle.live(this.id, this.customers).length > 0;
    const { status, body } = await shop.open(this.person, plan);
    // Whatever the news: nobody is sold a second one.
    expect([isLive, status, this.story]).toEqual([isLive, isLive ? 400 : 201, this.story]);
    if (status !== 201) return;
    await stripe.pay(String(body['session_id']), card);
    this.customers.add(stripe.subscriptions.at(-1)!.customer as string);
  }

  /** One of theirs, for which the user is named or whose customer they are. */
  private async sellFormer(prices: string[]): Promise<void> {
    const of = { prices, metadata: { user_id: this.id } };
    const id = await stripe.sellByHand({ ...of, ...(next() < 0.5 && { customer: this.customer }) });
    this.customers.add(stripe.subscriptions.find((one) => one.id === id)!.customer as string);
  }

  private get customer(): string {
    const customer = [...this.customers].at(-1);
    if (customer === undefined) throw new Error('no customer yet');
    return customer;
  }

  private one(status?: string): string {
    return stripe.subscriptions.findLast(
      (one) => this.customers.has(one.customer as string) && (status ?? one.status) === one.status,
    )!.id;
  }

  private invoices(isWanted: (invoice: Shop['stripe']['invoices'][number]) => boolean) {
    return stripe.invoices.filter((one) => this.customers.has(one.customer as string) && isWanted(one));
  }
}

/** Delivers late events; the comparison finds lost ones, and a read ends what is unsure. */
async function settle(isLost: boolean): Promise<void> {
  stripe.mode('ok');
  if (isLost) await shop.billing.app.get(Reconcile, { strict: false }).execute();
  else await stripe.deliverHeldBack();
  for (let tries = 0; tries < 6; tries++) {
    await stripe.advance(new Date(stripe.now().getTime() + 60_000));
    while (await shop.billing.app.get(ReadProvider).execute());
    const soon = new Date(stripe.now().getTime() + HOUR_MS);
    if ((await shop.query('SELECT FROM provider_reads WHERE due_at < $1', [soon])).length === 0) return;
  }
}

interface Published {
  subscriptions: { status: string; interval: string | null; recurringMicros: number; collectionPaused: boolean }[];
}

function mrrOf({ subscriptions }: Published): number {
  return subscriptions
    .filter(({ status, collectionPaused }) => ['ACTIVE', 'PAST_DUE'].includes(status) && !collectionPaused)
    .map(({ interval, recurringMicros }) => Math.round(recurringMicros / (interval === 'year' ? 12 : 1)))
    .reduce((sum, micros) => sum + micros, 0);
}

async function expectAsTheProviderSays({ id, person, customers, story }: Life): Promise<void> {
  const { body } = await shop.me(person);
  const events = await shop.billing.events(id);
  const last = events.findLast(({ type }) => type === 'subscription.changed');
  const sumOf = (wanted: string) =>
    events.filter(({ type }) => type === wanted).reduce((sum, { data }) => sum + Number(data['amountMicros']), 0);
  const until = oracle.premiumUntil(id, customers)?.toISOString() ?? null;
  expect({
    seed: SEED,
    tier: body['tier'],
    until: body['premium_until'],
    mrr: last ? mrrOf(last.data as unknown as Published) : 0,
    gross: sumOf('invoice.paid'),
    refunded: sumOf('invoice.adjusted'),
    story,
  }).toEqual({
    seed: SEED,
    tier: until === null ? 'FREE' : 'PREMIUM',
    until,
    mrr: oracle.mrrMicros(id, customers),
    gross: oracle.grossMicros(id, customers),
    refunded: oracle.refundedMicros(id, customers),
    story,
  });
}

it(
  `${PEOPLE} lives of seed ${SEED} at the provider: tier, recurring revenue and money are what its own objects say`,
  async () => {
    const lives = Array.from({ length: PEOPLE }, () => new Life());
    for (let round = 0; round < ROUNDS; round++) {
      const news = oneOf(['ok', 'late', 'lost', 'doubled', 'shuffled'] as const);
      stripe.mode(news);
      for (const life of lives) await life.step();
      await stripe.advance(inDays(oneOf([0.1, 1, 2, 2.5])));
      await settle(news === 'lost');
      for (const life of lives) await expectAsTheProviderSays(life);
      // Quiet weeks, with all news.
      await stripe.advance(inDays(oneOf([0, 3, 12, 35])));
      await settle(false);
      for (const life of lives) await expectAsTheProviderSays(life);
    }
    const found = (await auditBilling(shop.billing.database.dataSource)) as { what?: string }[];
    expect(found.filter(({ what }) => what !== 'somebody pays for two subscriptions at once')).toEqual([]);
  },
  Math.max(300_000, PEOPLE * ROUNDS * 2_500),
);
