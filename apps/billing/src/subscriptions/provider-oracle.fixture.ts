import type { DevelopmentStripe } from '@evenkeel/stripe';
import type Stripe from 'stripe';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MICROS_PER_CENT = 10_000;

/** How many times in a year. */
const PER_YEAR: Readonly<Record<string, number>> = { day: 365, week: 52, month: 12, year: 1 };

/** Access and revenue of people, read from the provider's own objects by independent rules, without events. */
export class ProviderOracle {
  /** @param ourPrices those of plans that are or were sold */
  constructor(
    private readonly stripe: DevelopmentStripe,
    private readonly ourPrices: ReadonlySet<string>,
  ) {}

  /** Until when somebody has Premium; null: they do not. */
  premiumUntil(userId: string, customers: ReadonlySet<string>): Date | null {
    const now = this.stripe.now();
    const ends = this.of(userId, customers).map((one) => this.accessEnd(one));
    const latest = Math.max(0, ...ends.map((end) => end?.getTime() ?? 0));
    return latest > now.getTime() ? new Date(latest) : null;
  }

  /** For which of them the provider may still collect. */
  live(userId: string, customers: ReadonlySet<string>): string[] {
    const over = ['canceled', 'incomplete_expired'];
    return this.of(userId, customers).flatMap(({ id, status }) => (over.includes(status) ? [] : id));
  }

  mrrMicros(userId: string, customers: ReadonlySet<string>): number {
    return this.of(userId, customers).reduce((sum, one) => sum + this.monthlyMicros(one), 0);
  }

  grossMicros(userId: string, customers: ReadonlySet<string>): number {
    return this.paid(userId, customers).reduce((sum, { amount_paid: cents }) => sum + cents * MICROS_PER_CENT, 0);
  }

  refundedMicros(userId: string, customers: ReadonlySet<string>): number {
    const paid = this.paid(userId, customers);
    return paid.reduce((sum, { id }) => sum + this.stripe.refundedCents(id) * MICROS_PER_CENT, 0);
  }

  private paid(userId: string, customers: ReadonlySet<string>): Stripe.Invoice[] {
    const ours = new Set(this.of(userId, customers).map(({ id }) => id));
    return this.stripe.invoices
      .filter(({ status, currency }) => status === 'paid' && currency === 'usd')
      .filter((invoice) => ours.has(subscriptionOf(invoice)));
  }

  private of(userId: string, customers: ReadonlySet<string>): Stripe.Subscription[] {
    return this.stripe.subscriptions.filter(
      (one) =>
        (one.metadata['user_id'] === userId || customers.has(one.customer as string)) && this.ourItems(one).length > 0,
    );
  }

  private ourItems({ items }: Stripe.Subscription): Stripe.SubscriptionItem[] {
    return items.data.filter(({ price }) => this.ourPrices.has(price.id));
  }

  private accessEnd(subscription: Stripe.Subscription): Date | null {
    const { status, cancel_at: cancelAt } = subscription;
    const periodEnd = Math.max(...this.ourItems(subscription).map(({ current_period_end: end }) => end));
    const scheduled = cancelAt === null ? Infinity : cancelAt * 1_000;
    if (status === 'trialing' || status === 'active') {
      if (scheduled <= periodEnd * 1_000) return new Date(scheduled);
      return new Date(Math.min(scheduled, periodEnd * 1_000 + 72 * HOUR_MS));
    }
    if (status !== 'past_due') return null;
    return new Date(Math.min(scheduled, this.owedSince(subscription) * 1_000 + 7 * DAY_MS));
  }

  /** When the first of the invoices was due that are open since the last that was paid, and since a trial. */
  private owedSince({ id, trial_end: trialEnd }: Stripe.Subscription): number {
    const own = this.stripe.invoices.filter(
      (one) => subscriptionOf(one) === id && one.billing_reason !== 'manual' && one.status !== 'draft',
    );
    const due = (invoice: Stripe.Invoice) => invoice.status_transitions.finalized_at!;
    const paid = Math.max(0, ...own.filter(({ status }) => status === 'paid').map(due));
    const since = Math.max(paid, trialEnd ?? 0);
    return Math.min(...own.filter((one) => one.status === 'open' && due(one) >= since).map(due));
  }

  private monthlyMicros(subscription: Stripe.Subscription): number {
    const { status, currency, pause_collection: paused } = subscription;
    if (!['active', 'past_due'].includes(status) || paused !== null || currency !== 'usd') return 0;
    const items = this.ourItems(subscription);
    const isYearly = items.every(({ price: { recurring } }) => recurring!.interval === 'year');
    const years = items.map((item) => this.yearlyCents(subscription, item));
    const cents = years.reduce((sum, one) => sum + one, 0);
    // A year is rounded to micro-USD before it is divided.
    return isYearly ? Math.round(Math.round(cents * MICROS_PER_CENT) / 12) : Math.round((cents / 12) * MICROS_PER_CENT);
  }

  private yearlyCents(subscription: Stripe.Subscription, item: Stripe.SubscriptionItem): number {
    const now = this.stripe.now().getTime() / 1_000;
    let cents = item.price.unit_amount! * (item.quantity ?? 1);
    const discounts = this.stripe.discountsOf(subscription);
    const placed = [
      ...discounts.filter(({ discount }) => discount.subscription_item === item.id),
      ...discounts.filter(({ discount }) => discount.subscription_item === null),
    ];
    for (const { discount, coupon, products } of placed) {
      const isOver = coupon.duration === 'once' || (discount.end !== null && discount.end <= now);
      const isForIt = discount.subscription_item !== null || (products?.includes(item.price.product as string) ?? true);
      if (isOver || !isForIt) continue;
      cents -= coupon.percent_off === null ? coupon.amount_off! : (cents * coupon.percent_off) / 100;
      cents = Math.max(0, cents);
    }
    const { interval, interval_count: every } = item.price.recurring!;
    return (cents * PER_YEAR[interval]!) / every;
  }
}

function subscriptionOf(invoice: Stripe.Invoice): string {
  return invoice.parent?.subscription_details?.subscription as string;
}
