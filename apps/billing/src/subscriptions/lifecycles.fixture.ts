import type { DevelopmentStripe } from '@evenkeel/stripe';
import fc from 'fast-check';
import type Stripe from 'stripe';
import type { SubscriptionAnswer } from './fetch-subscription';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

export const STEPS = [
  ...([
    'card_declines',
    'card_pays',
    'pay_invoice',
    'upgrade',
    'downgrade',
    'cancel_later',
    'take_back',
    'cancel',
  ] as const),
  ...(['pause_collection', 'resume_collection', 'pause', 'resume', 'refund', 'dispute', 'come_back'] as const),
];
export type Step = (typeof STEPS)[number] | { days: number };

/** One customer from the first payment on. */
export interface Lifecycle {
  shape: 'new' | 'old';
  plan: 'monthly' | 'yearly';
  trialDays: number;
  paysLater: boolean;
  steps: readonly Step[];
}

const step = fc.oneof(
  fc.constantFrom<Step>(...STEPS),
  fc.constantFrom(1, 3, 8, 20, 31, 45, 200).map((days): Step => ({ days })),
);

export const lifecycles: fc.Arbitrary<Lifecycle> = fc.record({
  shape: fc.constantFrom<'new' | 'old'>('new', 'old'),
  plan: fc.constantFrom<'monthly' | 'yearly'>('monthly', 'yearly'),
  trialDays: fc.constantFrom(0, 0, 7),
  paysLater: fc.boolean(),
  steps: fc.array(step, { minLength: 2, maxLength: 10 }),
});

/** A lifecycle as the provider lives it: everything that it would tell, and its own answers at the end. */
export class LivedCustomer {
  private sessions = 0;

  private constructor(
    readonly stripe: DevelopmentStripe,
    readonly userId: string,
    private readonly customerId: string,
  ) {}

  /** @param stripe which may have other customers, and whose events may go somewhere */
  static async live(
    { plan, trialDays, paysLater, steps }: Lifecycle,
    { userId, stripe }: { userId: string; stripe: DevelopmentStripe },
  ): Promise<LivedCustomer> {
    const { id } = await callStripe(stripe, 'POST', 'customers', { 'metadata[user_id]': userId });
    const lived = new LivedCustomer(stripe, userId, id as string);
    await lived.buy(plan, { trialDays, card: paysLater ? 'good' : 'good_then_declines' });
    for (const one of steps) {
      await lived.wait(MINUTE_MS);
      // Actions that the provider refuses, such as a change of an ended subscription, are skipped.
      if (typeof one === 'object') await lived.wait(one.days * DAY_MS);
      else await lived.do(one).catch(() => undefined);
    }
    await lived.wait(MINUTE_MS);
    return lived;
  }

  /** Each subscription as a read of it answers, with its invoices, in the version of the API that we speak. */
  fetched(): Promise<SubscriptionAnswer[]> {
    const read = async ({ id }: Stripe.Subscription) => {
      const result = await this.call('GET', `subscriptions/${id}?expand[]=latest_invoice`);
      const { data } = await this.call('GET', `invoices?subscription=${id}&limit=24`);
      return { result, invoices: data as object[], at: this.stripe.now() };
    };
    return Promise.all(this.subscriptions.map(read));
  }

  /** Their payments, as the provider lists them. */
  get paidInvoices(): Stripe.Invoice[] {
    return this.invoices.filter(({ status, amount_paid: cents }) => status === 'paid' && cents > 0);
  }

  private get invoices(): Stripe.Invoice[] {
    return this.stripe.invoices.filter(({ customer }) => customer === this.customerId);
  }

  private get subscriptions(): Stripe.Subscription[] {
    return this.stripe.subscriptions.filter(({ customer }) => customer === this.customerId);
  }

  private get subscription(): Stripe.Subscription {
    const found = this.subscriptions.at(-1);
    if (!found) throw new Error('nothing was bought');
    return found;
  }

  private async do(one: Exclude<Step, { days: number }>): Promise<unknown> {
    const { stripe, subscription } = this;
    const update = (form: Record<string, string>) => this.call('POST', `subscriptions/${subscription.id}`, form);
    const change = (plan: 'monthly' | 'yearly') => {
      const item = { 'items[0][id]': subscription.items.data[0]!.id, 'items[0][price]': stripe.prices[plan] };
      const behavior = { proration_behavior: plan === 'yearly' ? 'always_invoice' : 'create_prorations' };
      return update({ ...item, ...behavior, ...(plan === 'yearly' && { payment_behavior: 'pending_if_incomplete' }) });
    };
    const lastPaid = () => this.paidInvoices.at(-1)!.id;
    switch (one) {
      case 'card_declines':
        return stripe.setCard(this.customerId, 'declines');
      case 'card_pays':
        return stripe.setCard(this.customerId, 'good');
      case 'pay_invoice':
        return stripe.payInvoice(this.invoices.findLast(({ status }) => status === 'open')!.id);
      case 'upgrade':
        return change('yearly');
      case 'downgrade':
        return change('monthly');
      case 'cancel_later':
        return update({ cancel_at_period_end: 'true' });
      case 'take_back':
        return update({ cancel_at_period_end: 'false' });
      case 'cancel':
        return this.call('DELETE', `subscriptions/${subscription.id}`);
      case 'pause_collection':
        return stripe.pauseCollection(subscription.id);
      case 'resume_collection':
        return stripe.resumeCollection(subscription.id);
      case 'pause':
        return subscription.status === 'active' ? stripe.pause(subscription.id) : null;
      case 'resume':
        return subscription.status === 'paused' ? stripe.resume(subscription.id) : null;
      case 'refund':
        return stripe.refund(lastPaid());
      case 'dispute':
        return stripe.dispute(lastPaid());
      case 'come_back':
        return subscription.ended_at === null ? null : this.buy('monthly', { trialDays: 0, card: 'good' });
    }
  }

  private async buy(
    plan: 'monthly' | 'yearly',
    { trialDays, card }: { trialDays: number; card: 'good' | 'good_then_declines' },
  ): Promise<void> {
    const named = { 'metadata[user_id]': this.userId, 'metadata[plan_code]': `premium_${plan}` };
    const data = { 'subscription_data[metadata][user_id]': this.userId };
    const session = await this.call('POST', 'checkout/sessions', {
      mode: 'subscription',
      customer: this.customerId,
      client_reference_id: this.userId,
      'line_items[0][price]': this.stripe.prices[plan],
      'line_items[0][quantity]': '1',
      success_url: `https://app.example/${++this.sessions}`,
      ...named,
      ...data,
      ...(trialDays > 0 && { 'subscription_data[trial_period_days]': String(trialDays) }),
    });
    await this.stripe.pay(session['id'] as string, card);
  }

  private wait(ms: number): Promise<void> {
    return this.stripe.advance(new Date(this.stripe.now().getTime() + ms));
  }

  private call(method: string, path: string, form?: Record<string, string>): Promise<Record<string, unknown>> {
    return callStripe(this.stripe, method, path, form);
  }
}

async function callStripe(
  { secretKey, url }: DevelopmentStripe,
  method: string,
  path: string,
  form?: Record<string, string>,
): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${secretKey}`, 'stripe-version': '2026-08-26.dahlia' };
  const answer = await fetch(`${url}/v1/${path}`, { method, headers, body: form && new URLSearchParams(form) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}
