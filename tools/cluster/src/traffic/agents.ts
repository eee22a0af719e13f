import { payFor, type PaidCall } from '@evenkeel/agent';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { generatePrivateKey } from 'viem/accounts';
import { wrong, type Caller } from './caller';

const DOCUMENTS = [
  '/',
  '/openapi.json',
  '/llms.txt',
  '/v1/capabilities',
  '/.well-known/x402.json',
  '/agent/v1/pricing',
];
const plan = PAID_ENDPOINTS.find(({ operation }) => operation === 'plan')!;
const recommend = PAID_ENDPOINTS.find(({ operation }) => operation === 'recommend')!;
const KEPT = 200;

interface Bought {
  path: string;
  body: string;
  payment: { header: string; value: string };
  answer: string;
}

/** Programs that buy: each payment and credit that was answered is remembered. */
export class Agents {
  /** Nonces of payments whose answer came. */
  readonly paid = new Set<string>();
  /** Nonces of payments that were sent, and answered with an error. */
  readonly unanswered = new Set<string>();
  /** Of credits that have paid for a call whose answer came. */
  readonly redeemed = new Set<string>();
  /** Credits that nobody has spent yet. */
  readonly credits: string[] = [];
  private readonly bought: Bought[] = [];
  /** Spends enough for credits. */
  private readonly regular = generatePrivateKey();
  private turn = 0;

  constructor(
    private readonly caller: Caller,
    private readonly url: string,
  ) {}

  async discovery(): Promise<void> {
    await this.caller.expect(200, DOCUMENTS[this.turn++ % DOCUMENTS.length]!);
  }

  async challenge(): Promise<void> {
    const { path, exampleInput } = PAID_ENDPOINTS[this.turn++ % PAID_ENDPOINTS.length]!;
    await this.caller.expect(402, path, { method: 'POST', body: exampleInput });
  }

  /** One of our regular customer, the next of a new wallet; with clients of both versions. */
  async pay(): Promise<void> {
    const number = this.turn++;
    const [endpoint, privateKey] = number % 2 ? [plan, this.regular] : [recommend, generatePrivateKey()];
    const client = number % 4 < 2 ? 'v2' : 'v1';
    const { operation, exampleInput: body } = endpoint;
    const call = await payFor({ url: this.url, operation, body, client, privateKey });
    const { status, received = '' } = call;
    if (status !== 200) {
      if (call.payment) this.unanswered.add(nonceOf(call));
      throw wrong(`paid ${operation}`, 200, { status, text: JSON.stringify(call.body) });
    }
    this.paid.add(nonceOf(call));
    const earned = (call.body as { rebate_earned?: { credit_token?: string } }).rebate_earned?.credit_token;
    if (earned !== undefined) return void this.credits.push(earned);
    this.bought.push({ path: endpoint.path, body: call.sent, payment: call.payment!, answer: received });
    if (this.bought.length > KEPT) this.bought.shift();
  }

  /** The identical request once more: the identical answer. */
  async repeat(): Promise<void> {
    const one = this.bought[this.turn++ % this.bought.length];
    if (!one) return this.pay();
    const { path, body, payment, answer } = one;
    const reply = await this.caller.expect(200, path, {
      method: 'POST',
      body,
      headers: { [payment.header]: payment.value },
    });
    if (reply.text !== answer) throw wrong('a repeat with another answer', 200, reply);
  }

  async credit(): Promise<void> {
    const token = this.credits.shift();
    if (token === undefined) return this.pay();
    const headers = { 'x-agent-credit': token };
    await this.caller.expect(200, recommend.path, { method: 'POST', body: recommend.exampleInput, headers });
    this.redeemed.add(token);
  }
}

function nonceOf({ payment }: PaidCall): string {
  const { payload } = JSON.parse(Buffer.from(payment!.value, 'base64').toString()) as {
    payload: { authorization: { nonce: string } };
  };
  return payload.authorization.nonce.toLowerCase();
}
