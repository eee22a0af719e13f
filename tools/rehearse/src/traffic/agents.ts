import { CallFailed, payFor, type SentPayment } from '@evenkeel/agent';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { generatePrivateKey } from 'viem/accounts';
import { WrongAnswer, type Caller, type Reply } from './caller';

const DOCUMENTS = [
  '/',
  '/openapi.json',
  '/llms.txt',
  '/v1/capabilities',
  '/.well-known/x402.json',
  '/agent/v1/pricing',
];
const [plan, recommend, analyze] = (['plan', 'recommend', 'analyze'] as const).map((wanted) =>
  PAID_ENDPOINTS.find(({ operation }) => operation === wanted)!,
) as [Endpoint, Endpoint, Endpoint];
type Endpoint = (typeof PAID_ENDPOINTS)[number];

const { habits } = analyze.exampleInput as { habits: object[] };
/** As many habits as one request may have. */
const LARGEST_ANALYSIS = {
  habits: Array.from({ length: analyze.maxItems }, (_, index) => ({ ...habits[0], name: `Habit number ${index}` })),
};
const LOADED_WITHIN_MS = 60_000;
/** Purchases that may be repeated. */
const KEPT = 200;

/** A paid request as it was sent. */
export interface Purchase {
  nonce: string;
  path: string;
  body: string;
  payment: SentPayment;
}

/** Programs that buy: each payment and credit that was answered is remembered. */
export class Agents {
  /** Nonces of payments whose answer came. */
  readonly paid = new Set<string>();
  /** Payments that were sent and answered with an error, or not at all, by their nonce. */
  readonly unanswered = new Map<string, Purchase>();
  /** Credits that were earned, or granted to this trial. */
  readonly credits: string[] = [];
  /** How many have paid for a call whose answer came. */
  redeemed = 0;
  /** How many were sent, and answered with an error or not at all: they are spent or not. */
  uncertainCredits = 0;
  private readonly bought: (Purchase & { answer: string })[] = [];
  /** Spends enough for credits. */
  private readonly regular = generatePrivateKey();
  private turn = 0;

  constructor(
    private readonly caller: Caller,
    private readonly url: string,
  ) {}

  /**
   * Pays once with each client, one after the other. Their libraries are loaded by the first payment, which takes seconds of this
   * process: a stand-in for the facilitator that runs in it answers nobody meanwhile, and the first call may fail.
   */
  async prepare(): Promise<void> {
    for (let paid = 0; paid < 4; paid++) await eventually(() => this.pay(), { withinMs: LOADED_WITHIN_MS });
  }

  async discovery(): Promise<void> {
    await this.caller.expect(200, DOCUMENTS[this.turn++ % DOCUMENTS.length]!);
  }

  async challenge(): Promise<void> {
    const { path, exampleInput } = PAID_ENDPOINTS[this.turn++ % PAID_ENDPOINTS.length]!;
    await this.caller.expect(402, path, { body: exampleInput });
  }

  /** One of our regular customer, the next of a new wallet; with clients of both versions. */
  async pay(): Promise<Purchase> {
    const number = this.turn++;
    const [{ operation, path, exampleInput }, privateKey] =
      number % 2 ? [plan, this.regular] : [recommend, generatePrivateKey()];
    const body = JSON.stringify(exampleInput);
    const purchaseOf = (payment: SentPayment): Purchase => ({ nonce: nonceOf(payment), path, body, payment });
    const remember = (payment: SentPayment | undefined): void => {
      if (payment) this.unanswered.set(nonceOf(payment), purchaseOf(payment));
    };
    const client = number % 4 < 2 ? 'v2' : 'v1';
    const call = await payFor({ url: this.url, operation, body, client, privateKey }).catch((error: Error) => {
      if (error instanceof CallFailed) remember(error.payment);
      throw error;
    });
    if (call.status !== 200) {
      remember(call.payment);
      const reply = { ...call, headers: Object.fromEntries(call.headers), text: JSON.stringify(call.body) };
      throw new WrongAnswer(`paid ${operation}`, 200, reply);
    }
    const purchase = purchaseOf(call.payment!);
    this.paid.add(purchase.nonce);
    const earned = (call.body as { rebate_earned?: { credit_token?: string } }).rebate_earned?.credit_token;
    if (earned !== undefined) this.credits.push(earned);
    else this.bought.push({ ...purchase, answer: call.received ?? '' });
    if (this.bought.length > KEPT) this.bought.shift();
    return purchase;
  }

  /** The identical request once more, whatever it is answered with. */
  send({ path, body, payment }: Purchase): Promise<Reply> {
    return this.caller.ask(path, { body, headers: { [payment.header]: payment.value } });
  }

  /** The identical request once more: the identical answer. */
  async repeat(): Promise<void> {
    const one = this.bought[this.turn++ % this.bought.length];
    if (!one) return void (await this.pay());
    const reply = await this.send(one);
    if (reply.status !== 200 || reply.text !== one.answer)
      throw new WrongAnswer('a repeat, with another answer', 200, reply);
  }

  /** Sends each payment without an answer once more: what is answered now, or refused for good, leaves the list. */
  async repeatUnanswered(): Promise<void> {
    for (const [nonce, sent] of [...this.unanswered]) {
      const reply = await this.send(sent).catch(() => undefined);
      if (reply?.status === 200) this.paid.add(nonce);
      if (reply?.status === 200 || reply?.status === 402) this.unanswered.delete(nonce);
    }
  }

  /** The largest analysis; where there is no credit, a payment that may earn one. */
  async credit(): Promise<void> {
    const token = this.credits.pop();
    if (token === undefined) return void (await this.pay());
    this.uncertainCredits++;
    await this.caller.expect(200, analyze.path, { body: LARGEST_ANALYSIS, headers: { 'x-agent-credit': token } });
    this.uncertainCredits--;
    this.redeemed++;
  }
}

function nonceOf({ value }: SentPayment): string {
  const { payload } = JSON.parse(Buffer.from(value, 'base64').toString()) as {
    payload: { authorization: { nonce: string } };
  };
  return payload.authorization.nonce.toLowerCase();
}
