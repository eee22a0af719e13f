import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@evenkeel/kernel';
import { Random } from '@evenkeel/kernel/random';
import type { StripeEvent } from '../world/world';

export const WEBHOOK_MODES = ['late', 'lost', 'doubled', 'shuffled'] as const;
export type WebhookMode = (typeof WEBHOOK_MODES)[number];

/** Longest wait for an answer. */
const TIMEOUT_MS = 10_000;

/** Sends signed events to the one webhook, in the order in which they happened unless a mode says otherwise. */
export class Deliveries {
  url: string | undefined;
  mode: WebhookMode | null = null;
  private batch: StripeEvent[] = [];
  private sending: Promise<void> = Promise.resolve();
  private readonly retries = new Set<Promise<void>>();
  private readonly closing = new AbortController();
  /** The same order again in each run. */
  private readonly random = new Random(1);

  /** @param retryMs waits before an event is sent again, in real milliseconds */
  constructor(
    private readonly clock: Clock,
    private readonly secret: string,
    private readonly retryMs: readonly number[],
  ) {}

  add(event: StripeEvent): void {
    if (this.url === undefined) return;
    event.pending_webhooks = 1;
    if (this.mode === 'late' || this.mode === 'lost') return;
    if (this.batch.length === 0) this.sending = this.sending.then(() => this.sendBatch());
    const index = this.mode === 'shuffled' ? this.random.below(this.batch.length + 1) : this.batch.length;
    this.batch.splice(index, 0, event, ...(this.mode === 'doubled' ? [event] : []));
  }

  /** Sends what modes have held back, and what no try has delivered. */
  async deliverHeldBack(all: readonly StripeEvent[]): Promise<void> {
    await this.settled();
    for (const event of all.filter(({ pending_webhooks: pending }) => pending > 0)) await this.send(event);
    await this.settled();
  }

  /** Resolves when everything that is to be sent was delivered or given up. */
  async settled(): Promise<void> {
    let seen: Promise<void>;
    do {
      seen = this.sending;
      await seen;
      await Promise.all(this.retries);
    } while (seen !== this.sending || this.retries.size > 0);
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.url = undefined;
    await this.settled();
  }

  /** The events of one change are delivered together, as one batch. */
  private async sendBatch(): Promise<void> {
    for (const event of this.batch.splice(0)) {
      if (await this.send(event)) continue;
      const retry: Promise<void> = this.retry(event).finally(() => this.retries.delete(retry));
      this.retries.add(retry);
    }
  }

  private async retry(event: StripeEvent): Promise<void> {
    for (const ms of this.retryMs) {
      await sleep(ms, undefined, { signal: this.closing.signal }).catch(() => undefined);
      if (this.closing.signal.aborted || (await this.send(event))) return;
    }
  }

  /** @returns whether the receiver has taken it */
  private async send(event: StripeEvent): Promise<boolean> {
    if (this.url === undefined) return false;
    const body = JSON.stringify(event, null, 2);
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signWebhook(body, this.secret, this.clock.now()),
    };
    try {
      const response = await fetch(this.url, { method: 'POST', body, headers, signal, redirect: 'manual' });
      await response.arrayBuffer();
      if (response.ok) event.pending_webhooks = 0;
      return response.ok;
    } catch {
      return false;
    }
  }
}

/**
 * The `Stripe-Signature` header of a webhook.
 * @param at time of sending; written in seconds
 */
export function signWebhook(body: Uint8Array | string, secret: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1_000);
  const signature = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},v1=${signature}`;
}
