import { CallFailed, payFor, type SentPayment } from '@evenkeel/agent';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
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
const UNPAID = PAID_ENDPOINTS.map(({ path, exampleInput }) => ({ path, body: JSON.stringify(exampleInput) }));
/** Purchases that may be repeated. */
const KEPT = 200;

/** A paid request as it was sent. */
export interface Purchase {
  nonce: string;
  path: string;
  body: string;
  payment: { header: string; value: string };
}

/** Programs that buy: each payment and credit that was answered is remembered. */
export class Agents {
  /** Nonces of payments whose answer came. */
  readonly paid = new Set<string>();
  /** Payments that were sent and answered with an error, or not at all, by their nonce. */
  readonly unanswered = new Map<string, Purchase>();
  /** Of credits that have paid for a call whose answer came. */
  readonly redeemed = new Set<string>();
  /** Of credits that were sent, and answered with an error or not at all: they are spent or not. */
  readonly uncertainCredits = new Set<string>();
  private readonly credits: string[] = [];
  private readonly bought: (Purchase & { answer: string })[] = [];
  /** Spends enough for credits. */
  private readonly regular = generatePrivateKey();
  private areGranted = false;
  private turn = 0;

  constructor(
    private readonly caller: Caller,
    private readonly url: string,
  ) {}

  /**
   * Pays once with each client, one after the other. Their libraries are loaded by the first payment, which takes seconds of this
   * process: a stand-in for the facilitator that runs in it would answer nobody meanwhile.
   */
  async prepare(): Promise<void> {
    for (let paid = 0; paid < 4; paid++) await this.pay();
  }

  async discovery(): Promise<void> {
    await this.caller.expect(200, DOCUMENTS[this.turn++ % DOCUMENTS.length]!);
  }

  async challenge(): Promise<void> {
    const { path, body } = UNPAID[this.turn++ % UNPAID.length]!;
    await this.caller.expect(402, path, { body });
  }

  /** One of our regular customer, the next of a new wallet; with clients of both versions. */
  async pay(): Promise<Purchase> {
    const number = this.turn++;
    const [endpoint, privateKey] = number % 2 ? [plan, this.regular] : [recommend, generatePrivateKey()];
    const { operation, path } = endpoint;
    const body = JSON.stringify(endpoint.exampleInput);
    const sent = (payment: SentPayment): Purchase => ({ nonce: nonceOf(payment), path, body, payment });
    const remember = (payment: SentPayment | undefined): void => {
      if (payment) this.unanswered.set(nonceOf(payment), sent(payment));
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
    const purchase = sent(call.payment!);
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
      const status = await this.send(sent).then(
        (reply) => reply.status,
        () => 0,
      );
      if (status === 200) this.paid.add(nonce);
      if (status === 200 || status === 402) this.unanswered.delete(nonce);
    }
  }

  /** From now on credits are these, and none is earned when they are spent. */
  grant(tokens: readonly string[]): void {
    this.areGranted = true;
    for (const token of tokens) this.credits.push(token);
  }

  /** The largest analysis; where there is no credit, a payment that may earn one. */
  async credit(): Promise<void> {
    const token = this.credits.pop();
    if (token === undefined && this.areGranted) throw new Error('every credit that was granted is spent');
    if (token === undefined) return void (await this.pay());
    this.uncertainCredits.add(token);
    await this.caller.expect(200, analyze.path, { body: LARGEST_ANALYSIS, headers: { 'x-agent-credit': token } });
    this.uncertainCredits.delete(token);
    this.redeemed.add(token);
  }
}

/** As many habits as one request may have, all their optional numbers given. */
const LARGEST_ANALYSIS = JSON.stringify({
  habits: Array.from({ length: analyze.maxItems }, (_, index) => ({
    name: `Habit number ${index + 1}`,
    completion_rate: (30 + ((index * 37) % 65)) / 100,
    current_streak: (index * 5) % 17,
    best_streak: 17 + ((index * 7) % 30),
    average_mood: 4 + (index % 5),
    mood_correlation: ((index * 13) % 70) / 100,
    energy_trend: ['rising', 'stable', 'falling'][index % 3],
    risk_score: ((index * 11) % 90) / 100,
  })),
});

function nonceOf({ value }: SentPayment): string {
  const { payload } = JSON.parse(Buffer.from(value, 'base64').toString()) as {
    payload: { authorization: { nonce: string } };
  };
  return payload.authorization.nonce.toLowerCase();
}
