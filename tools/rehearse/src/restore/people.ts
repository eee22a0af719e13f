import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SentPayment, payFor } from '@evenkeel/agent';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { generatePrivateKey } from 'viem/accounts';
import { Caller } from '../cluster';

/** A payment that was made and answered, as it was sent. */
export interface Purchase {
  nonce: string;
  body: string;
  payment: SentPayment;
}

const { operation, path, exampleInput } = PAID_ENDPOINTS.find((endpoint) => endpoint.operation === 'recommend')!;

/** New wallets that pay once each, and keep what they have sent. */
export class Buyer {
  constructor(private readonly url: string) {}

  /** @throws Error unless it is answered with 200 */
  async buy(): Promise<Purchase> {
    const body = JSON.stringify(exampleInput);
    const call = await payFor({ url: this.url, operation, body, client: 'v2', privateKey: generatePrivateKey() });
    if (call.status !== 200 || !call.payment) throw new Error(`A paid call was answered with ${call.status}.`);
    return { nonce: nonceOf(call.payment), body, payment: call.payment };
  }

  /** The identical request once more. @returns its status, and what was said */
  async repeat({ body, payment }: Purchase): Promise<{ status: number; text: string }> {
    const headers = { 'content-type': 'application/json', [payment.header]: payment.value };
    const answer = await fetch(new URL(path, this.url), { method: 'POST', headers, body });
    return { status: answer.status, text: await answer.text() };
  }
}

function nonceOf({ value }: SentPayment): string {
  const { payload } = JSON.parse(Buffer.from(value, 'base64').toString()) as {
    payload: { authorization: { nonce: string } };
  };
  return payload.authorization.nonce.toLowerCase();
}

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
