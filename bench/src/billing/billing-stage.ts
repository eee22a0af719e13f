import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { databaseOptions } from '@evenkeel/billing';
import { uuidv7 } from '@evenkeel/kernel';
import { migrate } from '@evenkeel/platform/persistence';
import { ensureDatabase } from '@evenkeel/services';
import { JwtService } from '@nestjs/jwt';
import { es256KeysOf, newEs256Key } from '@evenkeel/platform/keys';
import { signWebhook } from '@evenkeel/stripe';
import { built } from '../processes/built';
import type { Child } from '../processes/child';
import { Scene } from '../processes/scene';

const BASE_URL = 'http://localhost:8080';
const TOKEN_SECONDS = 3_600;

/** Somebody who pays, as the provider knows them. */
export interface Subscriber {
  userId: string;
  customerId: string;
  subscriptionId: string;
}

/** One PostgreSQL with fsync, billing over it as in production, and a bare Fastify beside it. */
export class BillingStage extends Scene {
  databaseUrl!: string;
  app!: Child;
  echo!: Child;
  /** From the start of the process to its first line. */
  startSeconds!: number;
  private readonly webhookSecret = `whsec_${randomBytes(24).toString('hex')}`;
  private readonly keys = newEs256Key('bench');
  private readonly jwt = new JwtService({});
  private events = 0;

  static set(): Promise<BillingStage> {
    const stage = new BillingStage();
    return stage.opened(() => stage.build());
  }

  /** Nobody has heard of them yet: their first event names them. */
  subscriber(): Subscriber {
    const id = randomBytes(12).toString('hex');
    return { userId: randomUUID(), customerId: `cus_${id}`, subscriptionId: `sub_${id}` };
  }

  /** An event that moves the period of the subscription on, as the bytes of a signed request. */
  renewal(subscriber: Subscriber): Buffer {
    const now = Math.floor(Date.now() / 1_000);
    const place = ++this.events;
    const body = JSON.stringify(subscriptionUpdated(subscriber, now - 86_400 + Math.floor(place / 4), place));
    const head = [
      'POST /v1/billing/webhook/stripe HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json; charset=utf-8',
      `Stripe-Signature: ${signWebhook(body, this.webhookSecret, new Date())}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
  }

  token({ userId }: Subscriber): string {
    const iat = Math.floor(Date.now() / 1_000);
    const { kid, key: privateKey } = es256KeysOf(this.keys).signing;
    return this.jwt.sign(
      { sid: uuidv7(new Date()), tier: 'FREE', auth_time: iat, iat, exp: iat + TOKEN_SECONDS },
      {
        ...{ privateKey, algorithm: 'ES256', header: { alg: 'ES256', typ: 'at+jwt', kid } },
        ...{ issuer: BASE_URL, audience: 'v1', subject: userId, jwtid: randomUUID() },
      },
    );
  }

  private async build(): Promise<void> {
    const program = await built('@evenkeel/billing', 'main');
    this.databaseUrl = await ensureDatabase(await this.startPostgres(), 'billing');
    await migrate(databaseOptions({ DATABASE_URL: this.databaseUrl }));
    const keys = await this.start(join(__dirname, 'key-server'), { args: [this.keys] });
    const started = performance.now();
    this.app = await this.start(program, {
      isBuilt: true,
      nodeOptions: ['--max-semi-space-size=8'],
      env: {
        ...{ DATABASE_URL: this.databaseUrl, PORT: '0', INTERNAL_PORT: '0', PUBLIC_BASE_URL: BASE_URL },
        ...{ JWKS_URL: keys.url, STRIPE_WEBHOOK_SECRET: this.webhookSecret, RATE_LIMIT_SCALE: '1000000' },
        ...{ STRIPE_PRICE_MONTHLY: 'price_monthly' },
      },
    });
    this.startSeconds = (performance.now() - started) / 1_000;
    this.echo = await this.start(join(__dirname, '../accounts/bare-echo'));
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
