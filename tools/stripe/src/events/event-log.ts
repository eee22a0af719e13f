import type Stripe from 'stripe';
import type { StripeTime } from '../world/stripe-time';
import { newId } from '../world/ids';
import { versionOf, type ApiShape, type Rendering } from './old-shape';

export type EventType = Stripe.Event['type'];

/** An event of any type, without the union over all of them. */
export interface StripeEvent {
  id: string;
  object: 'event';
  api_version: string;
  created: number;
  data: { object: Record<string, unknown>; previous_attributes?: Record<string, unknown> };
  livemode: false;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  type: EventType;
}

const KEPT = 200_000;

/** Types that the old version of the API does not know. */
const NEW_TYPES: readonly EventType[] = ['invoice_payment.paid'];

/** Every event, in the order in which it happened. */
export class EventLog {
  readonly all: StripeEvent[] = [];
  /** Of the call that is being answered. */
  request: string | null = null;
  idempotencyKey: string | null = null;
  onRecorded: (event: StripeEvent) => void = () => undefined;

  constructor(
    private readonly time: StripeTime,
    private readonly rendering: Rendering,
    private readonly shape: ApiShape,
  ) {}

  record(type: EventType, object: object, before?: object): void {
    if (this.shape === 'old' && NEW_TYPES.includes(type)) return;
    const after = this.rendering.render(object, this.shape);
    const previous = before && changed(this.rendering.render(before, this.shape), after);
    const event: StripeEvent = {
      id: newId('evt'),
      object: 'event',
      api_version: versionOf(this.shape),
      created: this.time.seconds,
      data: { object: after, ...(previous && { previous_attributes: previous }) },
      livemode: false,
      pending_webhooks: 0,
      request: { id: this.request, idempotency_key: this.idempotencyKey },
      type,
    };
    this.all.push(event);
    if (this.all.length > KEPT) this.all.shift();
    this.onRecorded(event);
  }
}

/** Former values of the members that differ. */
function changed(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const differing = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(differing.map((name) => [name, before[name] ?? null]));
}
