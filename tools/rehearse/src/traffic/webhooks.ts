import { randomUUID } from 'node:crypto';
import { signWebhook } from '@evenkeel/stripe';
import { WrongAnswer, type Caller, type Reply, type Targets } from './caller';

/** Every so many events come a second time. */
const DOUBLED = 10;

interface Subscription {
  id: string;
  items: { data: { current_period_end: number }[] };
}

interface Event {
  id: string;
  body: string;
}

/** The provider, which repeats how subscriptions stand: events that were taken are remembered. */
export class Webhooks {
  /** Identifiers of events that were answered. */
  readonly taken = new Set<string>();
  /** Events that were not answered, by their identifier: the provider sends them again. */
  readonly unanswered = new Map<string, Event>();
  private subscriptions: Subscription[] = [];
  private last?: Event;
  private count = 0;

  constructor(
    private readonly caller: Caller,
    private readonly targets: Targets,
  ) {}

  /** Reads the subscriptions that the development Stripe has. */
  async prepare(): Promise<void> {
    const { stripeUrl, stripeKey } = this.targets;
    const headers = { authorization: `Bearer ${stripeKey}` };
    for (let after = '', more = true; more;) {
      const answer = await fetch(`${stripeUrl}/v1/subscriptions?limit=100${after}`, { headers });
      const page = (await answer.json()) as { data: Subscription[]; has_more: boolean };
      this.subscriptions.push(...page.data);
      [after, more] = [`&starting_after=${page.data.at(-1)?.id}`, page.has_more];
    }
    if (this.subscriptions.length === 0) throw new Error('The development Stripe has no subscription to tell of.');
  }

  async webhook(): Promise<void> {
    const copy = ++this.count % DOUBLED === 0 && this.last && this.taken.has(this.last.id) ? this.last : undefined;
    const event = copy ?? this.update();
    if (!copy) this.unanswered.set(event.id, event);
    const reply = await this.send(event);
    const { applied } = JSON.parse(reply.text) as { applied: boolean };
    if (copy && applied) throw new WrongAnswer('an event that was applied twice', 200, reply);
    this.last = event;
  }

  /** Sends each event again that has no answer, one after the other, as the provider does. */
  async repeatUnanswered(): Promise<void> {
    for (const event of [...this.unanswered.values()]) await this.send(event).catch(() => undefined);
  }

  private async send({ id, body }: Event): Promise<Reply> {
    const headers = { 'stripe-signature': signWebhook(body, this.targets.webhookSecret, new Date()) };
    const reply = await this.caller.expect(200, '/v1/billing/webhook/stripe', { body, headers });
    this.taken.add(id);
    this.unanswered.delete(id);
    return reply;
  }

  /** Each moves the end of the period by a second, so that there is something to apply. */
  private update(): Event {
    const subscription = this.subscriptions[this.count % this.subscriptions.length]!;
    const data = subscription.items.data.map((item) => ({
      ...item,
      current_period_end: item.current_period_end + this.count,
    }));
    const id = `evt_${randomUUID().replaceAll('-', '')}`;
    const event = {
      id,
      object: 'event',
      api_version: '2026-08-26.dahlia',
      created: Math.floor(Date.now() / 1_000),
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type: 'customer.subscription.updated',
      data: { object: { ...subscription, items: { ...subscription.items, data } } },
    };
    return { id, body: JSON.stringify(event) };
  }
}
