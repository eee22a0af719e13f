import { randomUUID } from 'node:crypto';
import { signWebhook } from '@evenkeel/stripe';
import { wrong, type Caller, type Reply, type Targets } from './caller';

/** Every so many events come a second time. */
const DOUBLED = 10;
const PATH = '/v1/billing/webhook/stripe';

interface Subscription {
  id: string;
  items: { data: { current_period_end: number }[] };
}

/** The provider, telling again and again how subscriptions stand: events that were taken are remembered. */
export class Webhooks {
  /** Identifiers of events that were answered. */
  readonly taken = new Set<string>();
  /** Events that were not answered, by their identifier: the provider sends them again. */
  readonly unanswered = new Map<string, string>();
  private subscriptions: Subscription[] = [];
  private last = '';
  private count = 0;

  constructor(
    private readonly caller: Caller,
    private readonly targets: Targets,
  ) {}

  /** Reads the subscriptions that the development Stripe has. */
  async prepare(): Promise<void> {
    const { stripeUrl, stripeKey } = this.targets;
    const headers = { authorization: `Bearer ${stripeKey}` };
    this.subscriptions = [];
    for (let after = '', more = true; more;) {
      const answer = await fetch(`${stripeUrl}/v1/subscriptions?limit=100${after}`, { headers });
      const page = (await answer.json()) as { data: Subscription[]; has_more: boolean };
      this.subscriptions.push(...page.data);
      [after, more] = [`&starting_after=${page.data.at(-1)?.id}`, page.has_more];
    }
    if (this.subscriptions.length === 0) throw new Error('The development Stripe has no subscription to tell of.');
  }

  async webhook(): Promise<void> {
    const isCopy = ++this.count % DOUBLED === 0 && this.taken.has(this.idOf(this.last));
    const body = isCopy ? this.last : this.update();
    if (!isCopy) this.unanswered.set(this.idOf(body), body);
    const reply = await this.send(body);
    const { applied } = JSON.parse(reply.text) as { applied: boolean };
    if (isCopy && applied) throw wrong('an event that was applied twice', 200, reply);
    this.last = body;
  }

  /** Sends each event again that has no answer, one after the other, as the provider does. */
  async repeatUnanswered(): Promise<void> {
    for (const body of [...this.unanswered.values()]) await this.send(body).catch(() => undefined);
  }

  private async send(body: string): Promise<Reply> {
    const headers = { 'stripe-signature': signWebhook(body, this.targets.webhookSecret, new Date()) };
    const reply = await this.caller.expect(200, PATH, { method: 'POST', body, headers });
    const id = this.idOf(body);
    this.taken.add(id);
    this.unanswered.delete(id);
    return reply;
  }

  private idOf(body: string): string {
    return body === '' ? '' : (JSON.parse(body) as { id: string }).id;
  }

  /** Each moves the end of the period by a second, so that there is something to apply. */
  private update(): string {
    const subscription = this.subscriptions[this.count % this.subscriptions.length]!;
    const data = subscription.items.data.map((item) => ({
      ...item,
      current_period_end: item.current_period_end + this.count,
    }));
    const object = { ...subscription, items: { ...subscription.items, data } };
    return JSON.stringify({
      id: `evt_${randomUUID().replaceAll('-', '')}`,
      object: 'event',
      api_version: '2026-08-26.dahlia',
      created: Math.floor(Date.now() / 1_000),
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type: 'customer.subscription.updated',
      data: { object },
    });
  }
}
