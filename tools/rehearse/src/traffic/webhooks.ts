import { randomUUID } from 'node:crypto';
import { signWebhook } from '@evenkeel/stripe';
import { WrongAnswer, type Caller, type Targets } from './caller';

/** Every so many events come a second time. */
const DOUBLED = 10;

interface Subscription {
  id: string;
  items: { data: { current_period_end: number }[] };
}

/** The provider, which repeats how subscriptions stand: events that were taken are remembered. */
export class Webhooks {
  /** Identifiers of events that were answered. */
  readonly taken = new Set<string>();
  /** Bodies of events that were not answered, by their identifier: the provider sends them again. */
  readonly unanswered = new Map<string, string>();
  private readonly subscriptions: Subscription[] = [];
  private last = { id: '', body: '' };
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
  }

  async webhook(): Promise<void> {
    const isCopy = ++this.count % DOUBLED === 0 && this.taken.has(this.last.id);
    if (!isCopy) this.last = this.update();
    const { id, body } = this.last;
    if (!isCopy) this.unanswered.set(id, body);
    const reply = await this.send(id, body);
    const { applied } = JSON.parse(reply.text) as { applied: boolean };
    if (isCopy && applied) throw new WrongAnswer('an event that was applied twice', 200, reply);
  }

  /** Sends each event again that has no answer, one after the other, as the provider does. */
  async repeatUnanswered(): Promise<void> {
    for (const [id, body] of [...this.unanswered]) await this.send(id, body).catch(() => undefined);
  }

  private async send(id: string, body: string) {
    const headers = { 'stripe-signature': signWebhook(body, this.targets.webhookSecret, new Date()) };
    const reply = await this.caller.expect(200, '/v1/billing/webhook/stripe', { body, headers });
    this.taken.add(id);
    this.unanswered.delete(id);
    return reply;
  }

  /** Each moves the end of the period by a second, so that there is something to apply. */
  private update() {
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
