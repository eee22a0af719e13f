import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Caller } from '../cluster';

const PASSWORD = 'a long walk by the sea';
const UPGRADED_WITHIN_MS = 60_000;

/** Somebody with an account who buys a plan. */
export class Shopper {
  private readonly caller: Caller;
  private headers: Record<string, string> = {};

  constructor(url: string) {
    this.caller = new Caller(url);
  }

  async register(): Promise<void> {
    const body = { email: `${randomUUID()}@example.com`, password: PASSWORD };
    const { text } = await this.caller.expect(201, '/v1/auth/register', { method: 'POST', body });
    this.headers = { authorization: `Bearer ${(JSON.parse(text) as { accessToken: string }).accessToken}` };
  }

  async buy(): Promise<void> {
    const { headers } = this;
    const body = { plan: 'premium_monthly' };
    const { text } = await this.caller.expect(201, '/v1/billing/checkout', { method: 'POST', headers, body });
    const { checkout_url: page } = JSON.parse(text) as { checkout_url: string };
    await fetch(page, { method: 'POST', body: new URLSearchParams({ card: 'good' }), redirect: 'manual' });
    if (!(await this.isPremium())) throw new Error('A plan that was bought gives no access.');
  }

  /** Whether accounts says so within a minute. */
  async isPremium(): Promise<boolean> {
    const deadline = performance.now() + UPGRADED_WITHIN_MS;
    do {
      const { text } = await this.caller.expect(200, '/v1/auth/me', { headers: this.headers });
      if ((JSON.parse(text) as { tier: string }).tier === 'PREMIUM') return true;
      await sleep(200);
    } while (performance.now() < deadline);
    return false;
  }

  close(): Promise<void> {
    return this.caller.close();
  }
}
