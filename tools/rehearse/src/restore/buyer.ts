import { payFor, type SentPayment } from '@evenkeel/agent';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { generatePrivateKey } from 'viem/accounts';

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
