import fc from 'fast-check';
import Stripe from 'stripe';
import type { CustomerProduct } from './customer-product.fixture';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const PEOPLE = 3;

const ACTS = [
  ...(['buy_month', 'buy_year', 'to_month', 'to_year', 'cancel', 'resume', 'card_declines', 'card_pays'] as const),
  ...(['refund_part', 'refund_rest', 'refund_fails', 'dispute', 'dispute_won', 'end'] as const),
];
type Act = (typeof ACTS)[number] | { days: number };

/** What one of three people does, and how the provider tells of it. */
export interface Turn {
  who: number;
  act: Act;
  delivery: 'ok' | 'doubled' | 'shuffled' | 'late';
}

const act = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Act>(...ACTS) },
  { weight: 1, arbitrary: fc.constantFrom(1, 3, 8, 20, 31, 45).map((days): Act => ({ days })) },
);
const delivery = fc.constantFrom<Turn['delivery']>('ok', 'doubled', 'shuffled', 'late');

export const HISTORIES: fc.Arbitrary<Turn[]> = fc.array(fc.record({ who: fc.nat(PEOPLE - 1), act, delivery }), {
  minLength: 10,
  maxLength: 25,
});

interface Somebody {
  userId: string;
  email: string;
}

/** People who do anything that the product lets them do, and to whom everything happens that happens at the provider. */
export class RandomCustomers {
  /** The provider, as operators ask it. */
  readonly client: Stripe;
  private met = 0;

  constructor(private readonly product: CustomerProduct) {
    const { hostname: host, port } = new URL(product.stripe.url);
    this.client = new Stripe(product.stripe.secretKey, { host, port, protocol: 'http' });
  }

  /** A history of people of its own. Afterwards everything was told, and nothing falls due any more. */
  async live(turns: readonly Turn[]): Promise<void> {
    const { stripe } = this.product;
    const people: Somebody[] = [];
    while (people.length < PEOPLE) people.push(await this.somebody());
    for (const { userId, email } of people) await this.buy({ userId, email }, 'premium_monthly');
    for (const { who, act: doing, delivery: mode } of turns) {
      stripe.mode(mode);
      await this.wait(typeof doing === 'object' ? doing.days * DAY_MS : MINUTE_MS);
      if (typeof doing === 'string') await this.act(people[who]!, doing);
      stripe.mode('ok');
    }
    await this.wait(MINUTE_MS);
    await stripe.deliverHeldBack();
  }

  /** Nothing of these people falls due any more. */
  async endAll(): Promise<void> {
    for (const { id, ended_at: end } of this.product.stripe.subscriptions) {
      if (end === null) await this.client.subscriptions.cancel(id);
    }
  }

  private async somebody(): Promise<Somebody> {
    const email = `person-${++this.met}@example.com`;
    const { body } = await this.product.register(email);
    return { email, userId: (body['user'] as { id: string }).id };
  }

  private async act(person: Somebody, doing: Exclude<Act, object>): Promise<unknown> {
    const { product, client } = this;
    const { stripe } = product;
    const customer = this.subscriptionsOf(person).at(-1)!.customer as string;
    const charge = async () => {
      const { data } = await client.charges.list({ customer, limit: 1 });
      return data[0]!;
    };
    switch (doing) {
      case 'buy_month':
        return this.buy(person, 'premium_monthly');
      case 'buy_year':
        return this.buy(person, 'premium_yearly');
      case 'to_month':
        return this.ask(person, 'change-plan', { plan: 'premium_monthly' });
      case 'to_year':
        return this.ask(person, 'change-plan', { plan: 'premium_yearly' });
      case 'cancel':
        return this.ask(person, 'cancel');
      case 'resume':
        return this.ask(person, 'resume');
      case 'card_declines':
        return stripe.setCard(customer, 'declines');
      case 'card_pays':
        return stripe.setCard(customer, 'good');
      case 'refund_part':
      case 'refund_rest':
      case 'refund_fails': {
        const { id, amount, amount_refunded: refunded, paid } = await charge();
        const left = paid ? amount - refunded : 0;
        const cents = doing === 'refund_part' ? Math.min(left, 100) : left;
        if (cents === 0) return null;
        const refund = await stripe.refund(id, cents);
        return doing === 'refund_fails' ? stripe.failRefund(refund) : refund;
      }
      case 'dispute':
      case 'dispute_won': {
        const { id, disputed, paid } = await charge();
        if (disputed || !paid) return null;
        const dispute = await stripe.dispute(id);
        return doing === 'dispute_won' ? stripe.closeDispute(dispute, 'won') : dispute;
      }
      case 'end': {
        const living = this.subscriptionsOf(person).find(({ ended_at: end }) => end === null);
        return living ? client.subscriptions.cancel(living.id) : null;
      }
    }
  }

  /** Who has a subscription there buys no second one, also when its news is late. */
  private async buy(person: Somebody, plan: string): Promise<void> {
    if (this.subscriptionsOf(person).some(({ ended_at: end }) => end === null)) return;
    const page = await this.ask(person, 'checkout', { plan });
    if (page['session_id'] !== undefined) await this.product.stripe.pay(page['session_id'] as string);
  }

  private async ask({ email }: Somebody, path: string, body?: object): Promise<Record<string, unknown>> {
    const reply = await this.product.billing('POST', path, body, await this.product.token(email));
    expect(reply.status).toBeLessThan(500);
    return reply.body;
  }

  private subscriptionsOf({ userId }: Somebody): Stripe.Subscription[] {
    return this.product.stripe.subscriptions.filter(({ metadata }) => metadata['user_id'] === userId);
  }

  private wait(ms: number): Promise<void> {
    return this.product.stripe.advance(new Date(this.product.stripe.now().getTime() + ms));
  }
}
