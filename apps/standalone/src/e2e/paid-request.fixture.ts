import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readReceipt, type Receipt } from '@evenkeel/agent';
import { CHAINS, PAID_ENDPOINTS, type Operation } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { authorizationTypes } from '@x402/evm';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { PAY_TO } from './programs.fixture';

const BASE = CHAINS[0]!;
const VALID_FOR_SECONDS = 300;
/** An abandoned payment is taken over after 15 s and looked up on the chain 5 s later; the rest is for a busy machine. */
const REPEATED = { withinMs: 60_000 };
const PAUSE_MS = 300;

/** A request with its payment, as it can be sent any number of times. */
export interface PaidRequest {
  path: string;
  body: string;
  payer: string;
  nonce: string;
  headers: Record<string, string>;
}

interface Wish {
  operation?: Operation;
  wallet?: PrivateKeyAccount;
  /** Signed for another chain, a payment is well formed and never verifies. */
  chainId?: number;
}

export function aWallet(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}

/** The example request of an operation with a payment of its price, from a new wallet. */
export async function aPaidRequest(wish: Wish = {}): Promise<PaidRequest> {
  const { operation = 'analyze', wallet = aWallet(), chainId = BASE.chainId } = wish;
  const endpoint = PAID_ENDPOINTS.find((candidate) => candidate.operation === operation)!;
  const nonce: Hex = `0x${randomBytes(32).toString('hex')}`;
  const validBefore = Math.floor(Date.now() / 1_000) + VALID_FOR_SECONDS;
  const signed = { from: wallet.address, to: PAY_TO as Hex, nonce };
  const { address, name, version } = BASE.usdc;
  const signature = await wallet.signTypedData({
    domain: { name, version, chainId, verifyingContract: address as Hex },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: { ...signed, value: BigInt(endpoint.priceMicros), validAfter: 0n, validBefore: BigInt(validBefore) },
  });
  const numbers = { value: String(endpoint.priceMicros), validAfter: '0', validBefore: String(validBefore) };
  const payload = { signature, authorization: { ...signed, ...numbers } };
  const payment = { x402Version: 1, scheme: 'exact', network: 'base', payload };
  return {
    path: endpoint.path,
    body: JSON.stringify(endpoint.exampleInput),
    payer: wallet.address.toLowerCase(),
    nonce,
    headers: {
      'content-type': 'application/json',
      'x-payment': Buffer.from(JSON.stringify(payment)).toString('base64'),
    },
  };
}

export interface Answer {
  status: number;
  headers: Headers;
  /** The body as it came. */
  text: string;
  body: Record<string, unknown>;
  receipt: Receipt | undefined;
}

export async function send(
  url: string,
  { path, body, headers }: Pick<PaidRequest, 'path' | 'body' | 'headers'>,
): Promise<Answer> {
  const response = await fetch(url + path, { method: 'POST', body, headers, signal: AbortSignal.timeout(15_000) });
  const text = await response.text();
  const { status, headers: answered } = response;
  return { status, headers: answered, text, body: JSON.parse(text) as Answer['body'], receipt: readReceipt(answered) };
}

/** Sends the identical request until the answer is the expected one, as a client without an answer does. */
export function repeatUntil(
  url: string,
  request: PaidRequest,
  isExpected: (answer: Answer) => boolean,
): Promise<Answer> {
  return eventually(async () => {
    const answer = await send(url, request);
    if (isExpected(answer)) return answer;
    await sleep(PAUSE_MS);
    throw new Error(`still ${answer.status}: ${answer.text}`);
  }, REPEATED);
}
