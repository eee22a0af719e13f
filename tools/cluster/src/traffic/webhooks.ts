import { randomUUID } from 'node:crypto';
import { signWebhook } from '@evenkeel/stripe';
import { wrong, type Caller, type Targets } from './caller';

/** Every so many events come a second time. */
const DOUBLED = 10;
const PATH = '/v1/billing/webhook/stripe';

/** The provider, telling again and again how subscriptions stand: events that were taken are remembered. */
export class Webhooks {
  /** Identifiers of events that were answered. */
  readonly taken = new Set<string>();
  private subscriptions: Record<string, unknown>[] = [];
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
    const answer = await fetch(`${stripeUrl}/v1/subscriptions?limit=100`, { headers });
    this.subscriptions = ((await answer.json()) as { data: Record<string, unknown>[] }).data;
    if (this.subscriptions.length === 0) throw new Error('The development Stripe has no subscription to tell of.');
  }

  async webhook(): Promise<void> {
    const isCopy = ++this.count % DOUBLED === 0 && this.taken.has(this.idOf(this.last));
    const body = isCopy ? this.last : this.update();
    const headers = { 'stripe-signature': signWebhook(body, this.targets.webhookSecret, new Date()) };
    const reply = await this.caller.expect(200, PATH, { method: 'POST', body, headers });
    const { applied } = JSON.parse(reply.text) as { applied: boolean };
    if (isCopy && applied) throw wrong('an event that was applied twice', 200, reply);
    this.taken.add(this.idOf(body));
    this.last = body;
  }

  private idOf(body: string): string {
    return body === '' ? '' : (JSON.parse(body) as { id: string }).id;
  }

  private update(): string {
    const object = this.subscriptions[this.count % this.subscriptions.length]!;
    return JSON.stringify({
      ...{ id: `evt_${randomUUID().replaceAll('-', '')}`, object: 'event', api_version: '2026-08-26.dahlia' },
      ...{ created: Math.floor(Date.now() / 1_000), livemode: false, pending_webhooks: 1 },
      ...{ request: { id: null, idempotency_key: null }, type: 'customer.subscription.updated', data: { object } },
    });
  }
}
