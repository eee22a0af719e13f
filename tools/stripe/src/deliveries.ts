import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@evenkeel/kernel';
import { Random } from '@evenkeel/kernel/random';
import type { StripeEvent } from './world';

export const WEBHOOK_MODES = ['late', 'lost', 'doubled', 'shuffled'] as const;
export type WebhookMode = (typeof WEBHOOK_MODES)[number];

const TIMEOUT_MS = 10_000;

/** Sends signed events to the one webhook, in the order in which they happened unless a mode says otherwise. */
export class Deliveries {
  url: string | undefined;
  mode: WebhookMode | null = null;
  private readonly queue: StripeEvent[] = [];
  private isSending = false;
  private readonly running = new Set<Promise<void>>();
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
    const index = this.mode === 'shuffled' ? this.random.below(this.queue.length + 1) : this.queue.length;
    this.queue.splice(index, 0, event, ...(this.mode === 'doubled' ? [event] : []));
    if (!this.isSending) this.run(this.sendQueue());
  }

  /** Sends what modes have held back, and what no try has delivered. */
  async deliverHeldBack(all: readonly StripeEvent[]): Promise<void> {
    await this.settled();
    for (const event of all.filter(({ pending_webhooks: pending }) => pending > 0)) await this.send(event);
    await this.settled();
  }

  /** Resolves when everything that is to be sent was delivered or given up. */
  async settled(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.url = undefined;
    await this.settled();
  }

  private run(work: Promise<void>): void {
    const running = work.finally(() => this.running.delete(running));
    this.running.add(running);
  }

  private async sendQueue(): Promise<void> {
    this.isSending = true;
    // The events of one change are all there before the first is sent.
    await Promise.resolve();
    for (let event = this.queue.shift(); event; event = this.queue.shift()) {
      if (!(await this.send(event))) this.run(this.retry(event));
    }
    this.isSending = false;
  }

  private async retry(event: StripeEvent): Promise<void> {
    for (const ms of this.retryMs) {
      await sleep(ms, undefined, { signal: this.closing.signal }).catch(() => undefined);
      if (this.closing.signal.aborted || (await this.send(event))) return;
    }
  }

  private async send(event: StripeEvent): Promise<boolean> {
    if (this.url === undefined) return false;
    const body = JSON.stringify(event, null, 2);
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    // The receiver knows nothing of time that was skipped: signatures have that of the clock.
    const signature = signWebhook(body, this.secret, this.clock.now());
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
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
