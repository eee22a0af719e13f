import { randomBytes, randomUUID } from 'node:crypto';
import { signWebhook } from '@evenkeel/stripe';

const DAY_SECONDS = 86_400;

/** Somebody who pays, as the provider knows them. */
export interface Subscriber {
  userId: string;
  customerId: string;
  subscriptionId: string;
}

/** Signed requests as the provider sends them. */
export class ProviderEvents {
  readonly secret = `whsec_${randomBytes(24).toString('hex')}`;
  private events = 0;

  /** Nobody has heard of them yet: their first event names them. */
  subscriber(userId: string = randomUUID()): Subscriber {
    const id = randomBytes(12).toString('hex');
    return { userId, customerId: `cus_${id}`, subscriptionId: `sub_${id}` };
  }

  /** An event that moves the period of the subscription on, as the bytes of a signed request. */
  renewal(subscriber: Subscriber): Buffer {
    return this.update(subscriber, DAY_SECONDS);
  }

  /** One that is older than all of these. */
  lateRenewal(subscriber: Subscriber): Buffer {
    return this.update(subscriber, 2 * DAY_SECONDS);
  }

  private update(subscriber: Subscriber, agoSeconds: number): Buffer {
    const now = Math.floor(Date.now() / 1_000);
    const place = ++this.events;
    const body = JSON.stringify(subscriptionUpdated(subscriber, now - agoSeconds + Math.floor(place / 4), place));
    const head = [
      'POST /v1/billing/webhook/stripe HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json; charset=utf-8',
      `Stripe-Signature: ${signWebhook(body, this.secret, new Date())}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
}

/** As the provider sends it, with what a subscription of one item has. */
function subscriptionUpdated(
  { userId, customerId, subscriptionId }: Subscriber,
  created: number,
  place: number,
): object {
  const item = {
    ...{ id: `si_${place}`, object: 'subscription_item', quantity: 1 },
    ...{ current_period_start: created, current_period_end: created + 30 * 86_400 + place },
    price: {
      ...{ id: 'price_monthly', object: 'price', active: true, currency: 'usd', unit_amount: 799, type: 'recurring' },
      recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
    },
  };
  return {
    ...{ id: `evt_bench_${place}`, object: 'event', api_version: '2026-08-26.dahlia', created, livemode: false },
    ...{ pending_webhooks: 1, request: { id: null, idempotency_key: null }, type: 'customer.subscription.updated' },
    data: {
      object: {
        ...{ id: subscriptionId, object: 'subscription', customer: customerId, status: 'active', livemode: false },
        ...{ created, start_date: created, cancel_at: null, cancel_at_period_end: false, trial_end: null },
        ...{
          discounts: [],
          latest_invoice: `in_${place}`,
          pause_collection: null,
          collection_method: 'charge_automatically',
        },
        metadata: { user_id: userId, plan_code: 'premium_monthly' },
        items: { object: 'list', data: [item], has_more: false, total_count: 1 },
      },
    },
  };
}
