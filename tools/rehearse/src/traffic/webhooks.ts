import { randomUUID } from 'node:crypto';
import { API_VERSION, signWebhook } from '@evenkeel/stripe';
import Stripe from 'stripe';
import { WrongAnswer, type Caller, type Targets } from './caller';

/** Every so many events come a second time. */
const DOUBLED = 10;

/** The provider, which repeats how subscriptions stand: events that were taken are remembered. */
export class Webhooks {
  /** Identifiers of events that were answered. */
  readonly taken = new Set<string>();
  /** Bodies of events that were not answered, by their identifier: the provider sends them again. */
  readonly unanswered = new Map<string, string>();
  private subscriptions: Stripe.Subscription[] = [];
  private last = { id: '', body: '' };
  private count = 0;

  constructor(
    private readonly caller: Caller,
    private readonly targets: Targets,
  ) {}

  /** Reads the subscriptions that the development Stripe has. */
  async prepare(): Promise<void> {
    const { hostname: host, port } = new URL(this.targets.stripeUrl);
    const client = new Stripe(this.targets.stripeKey, { host, port, protocol: 'http' });
    this.subscriptions = await client.subscriptions.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 });
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
      api_version: API_VERSION,
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
