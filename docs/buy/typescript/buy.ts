// Buys one recommendation, checks its receipt, repeats the request, and asks whether it was charged.
//   npm start -- [address of the seller]      PRIVATE_KEY=0x… is the wallet; a new one without it
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import { compactVerify, createRemoteJWKSet } from 'jose';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const seller = process.argv[2] ?? 'http://localhost:8080';
const path = '/agent/v1/habits/recommend';
// Canonical JSON (RFC 8785: members sorted, no blanks): the receipt has the digest of exactly these bytes.
const body = '{"habits":[{"best_streak":12,"completion_rate":0.46,"current_streak":0,"name":"Read 20 minutes"}]}';
/** What this program pays with, USDC on Base: what an amount is worth depends on the token. */
const money = { scheme: 'exact', network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
/** The most this program signs for: 0.10 USD, in millionths. */
const most = 100_000n;

const account = privateKeyToAccount((process.env.PRIVATE_KEY as `0x${string}` | undefined) ?? generatePrivateKey());
// Register the scheme of version 2: the client goes by the header PAYMENT-REQUIRED, in which the scheme of version 1
// alone finds nothing to pay.
const wallet = new x402HTTPClient(new x402Client().register('eip155:*', new ExactEvmScheme(account)));
say('wallet', account.address);

// 1. Ask what it costs. The answer is 402 with the offer, and says for free whether the body is valid.
const asked = await post({});
if (asked.status !== 402) throw new Error(`Expected 402 with an offer, got ${asked.status}: ${await asked.text()}`);
const { extensions } = (await asked.json()) as { extensions: { preflight: { valid: boolean; issues?: object[] } } };
if (!extensions.preflight.valid) throw new Error(`Mend the body first: ${JSON.stringify(extensions.preflight.issues)}`);
const offer = wallet.getPaymentRequiredResponse((name) => asked.headers.get(name));
const terms = offer.accepts.find(
  ({ scheme, network, asset }) => scheme === money.scheme && network === money.network && asset === money.asset,
);
if (!terms) throw new Error('The offer has no price in the money of this program.');
const { amount, asset, network, payTo } = terms;
say('price', `${amount} millionths of a dollar, in ${asset} on ${network}`);
if (BigInt(amount) > most) throw new Error('That is more than this program may spend.');

// 2. Sign the terms that were looked at, once. What is kept here is all that a repeat needs.
const payment = await wallet.createPaymentPayload({ ...offer, accepts: [terms] });
const { nonce } = (payment.payload as { authorization: { nonce: string } }).authorization;
const paying = { ...wallet.encodePaymentSignatureHeader(payment), 'Idempotency-Key': randomUUID() };
say('nonce', nonce);

// 3. Pay. Without a usable answer the same payment goes out again: it is never charged twice.
const { response: paid, bytes: answer } = await insist(paying);
if (paid.status !== 200) throw new Error(`Not paid: ${paid.status} ${answer.toString()}`);
say('answer', `200, ${answer.length} bytes`);

// 4. Check the receipt: signed by the seller, about this payment, this request and these bytes.
const keys = createRemoteJWKSet(new URL('/.well-known/receipt-jwks.json', seller));
const receipt = await compactVerify(paid.headers.get('X-Evenkeel-Receipt')!, keys, { algorithms: ['ES256'] });
const claims = JSON.parse(new TextDecoder().decode(receipt.payload)) as Record<string, string>;
const expected: Record<string, string> = {
  payer: account.address,
  nonce,
  pay_to: payTo,
  amount_atomic: amount,
  request_digest: digest(`POST\n${path}\n${body}`),
  response_digest: digest(answer),
};
for (const [claim, value] of Object.entries(expected)) {
  if (claims[claim] !== value) throw new Error(`The receipt has another ${claim}: ${claims[claim]}, not ${value}`);
}
say('receipt', `holds, signed with key ${receipt.protectedHeader.kid}`);

// 5. Repeat it, as after a lost answer: the same payment gets the same bytes, and costs nothing more.
const { response: again, bytes } = await insist(paying);
if (!answer.equals(bytes) || again.headers.get('Idempotent-Replayed') !== 'true')
  throw new Error('The repeat got another answer.');
say('repeat', `${again.status}, the same bytes, not charged again`);

// 6. Was I charged? Free, for the one who knows the nonce.
const asking = await fetch(new URL(`/agent/v1/payments/${nonce}`, seller));
const status = (await asking.json()) as { charged: boolean | null; state: string; transaction: string | null };
say('charged', `${status.charged}, ${status.state}, nonce ${nonce}, transaction ${status.transaction}`);

function post(headers: Record<string, string>): Promise<Response> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body };
  return fetch(new URL(path, seller), { ...init, signal: AbortSignal.timeout(15_000) });
}

/**
 * Sends the same request until it is answered for good, to the last byte: 429 and 5xx mean "the same again, after a while".
 */
async function insist(headers: Record<string, string>): Promise<{ response: Response; bytes: Buffer }> {
  for (let tries = 1; ; tries++) {
    let wait = 1;
    try {
      const response = await post(headers);
      const bytes = Buffer.from(await response.arrayBuffer());
      if (response.status < 500 && response.status !== 429) return { response, bytes };
      const seconds = response.headers.get('Retry-After') ?? '';
      wait = /^\d+$/.test(seconds) ? Number(seconds) : 1;
    } catch {
      // No answer, a part of one, or one that cannot be read.
    }
    if (tries === 5) throw new Error(`No answer. Do not sign again: ask ${seller}/agent/v1/payments/${nonce}`);
    await sleep(wait * 1_000);
  }
}

function digest(data: string | Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(data).digest('base64')}:`;
}

function say(what: string, text: string): void {
  console.log(`${what.padEnd(8)}${text}`);
}
