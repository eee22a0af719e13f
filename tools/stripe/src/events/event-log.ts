import type Stripe from 'stripe';
import type { StripeTime } from '../world/stripe-time';
import { API_VERSION } from '../schema/published';
import { copyOf, newId } from '../world/ids';

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

/** Every event, in the order in which it happened. */
export class EventLog {
  readonly all: StripeEvent[] = [];
  /** Of the call that is being answered. */
  request: string | null = null;
  idempotencyKey: string | null = null;
  onRecorded: (event: StripeEvent) => void = () => undefined;

  constructor(private readonly time: StripeTime) {}

  record(type: EventType, object: object, before?: object): void {
    const after = copyOf(object) as Record<string, unknown>;
    const previous = before && changed(before as Record<string, unknown>, after);
    const event: StripeEvent = {
      id: newId('evt'),
      object: 'event',
      api_version: API_VERSION,
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
