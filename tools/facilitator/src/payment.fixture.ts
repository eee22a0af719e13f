import { randomBytes } from 'node:crypto';
import { CHAINS } from '@evenkeel/contracts';
import { ManualClock } from '@evenkeel/kernel';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { TRANSFER_TYPES } from './chain/token';
import { type RunningFacilitator, startFacilitator } from './start-facilitator';

export const noon = new Date('2026-01-31T12:00:00.000Z');
const noonSeconds = noon.getTime() / 1000;

export const base = CHAINS[0]!;
export const payTo = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

export interface Signed {
  signature: Hex;
  authorization: { from: Hex; to: Hex; value: string; validAfter: string; validBefore: string; nonce: Hex };
}

export interface Wish {
  x402Version?: 1 | 2;
  account?: PrivateKeyAccount;
  /** Changes what is signed. */
  authorization?: Partial<Signed['authorization']>;
  /** Signs under another EIP-712 domain. */
  domain?: { name?: string; version?: string; chainId?: number };
  /** Changes what is sent after signing. */
  requirements?: Record<string, unknown>;
  payload?: Record<string, unknown>;
}

export function aWallet(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}

/** The signed part of a good payment of 0.05 USD at noon. */
export async function aSigned({ account = aWallet(), authorization = {}, domain = {} }: Wish = {}): Promise<Signed> {
  const signed: Signed['authorization'] = {
    from: account.address,
    to: payTo,
    value: '50000',
    validAfter: '0',
    validBefore: String(noonSeconds + 300),
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...authorization,
  };
  const { address, name, version } = base.usdc;
  const signature = await account.signTypedData({
    domain: { name, version, chainId: base.chainId, verifyingContract: address as Hex, ...domain },
    types: TRANSFER_TYPES,
    primaryType: 'TransferWithAuthorization',
    message: {
      ...signed,
      value: BigInt(signed.value),
      validAfter: BigInt(signed.validAfter),
      validBefore: BigInt(signed.validBefore),
    },
  });
  return { signature, authorization: signed };
}

/** The body of verify and settle for a good payment of 0.05 USD at noon. */
export async function aPayment(wish: Wish = {}) {
  return aBody(await aSigned(wish), wish);
}

/** Words a signed transfer in version 1 or 2. */
export function aBody(signed: Signed, { x402Version = 2, requirements = {}, payload = {} }: Wish = {}) {
  const { name, version, address: asset } = base.usdc;
  const terms = { scheme: 'exact', asset, payTo, maxTimeoutSeconds: 300, extra: { name, version } };
  const resource = { description: 'Habit analysis', mimeType: 'application/json' };
  const url = 'http://localhost:8080/agent/v1/habits/analyze';
  if (x402Version === 1) {
    return {
      x402Version: 1,
      paymentPayload: { x402Version: 1, scheme: 'exact', network: 'base', payload: signed, ...payload },
      paymentRequirements: {
        ...terms,
        ...resource,
        network: 'base',
        resource: url,
        maxAmountRequired: '50000',
        ...requirements,
      },
    };
  }
  const accepted = { ...terms, network: 'eip155:8453', amount: '50000', ...requirements };
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, resource: { url, ...resource }, accepted, payload: signed, ...payload },
    paymentRequirements: accepted,
  };
}

export interface Reached {
  status: number;
  body: Record<string, unknown>;
}

/** A facilitator at noon, whose clock moves only when a test moves it. */
export class FacilitatorAtNoon {
  private constructor(
    readonly running: RunningFacilitator,
    readonly clock: ManualClock,
  ) {}

  static async start(): Promise<FacilitatorAtNoon> {
    const clock = new ManualClock(noon);
    return new FacilitatorAtNoon(await startFacilitator({ port: 0, chain: base, control: true, clock }), clock);
  }

  verify(body: unknown): Promise<Reached> {
    return this.post('/verify', body);
  }

  settle(body: unknown): Promise<Reached> {
    return this.post('/settle', body);
  }

  async get(path: string): Promise<Reached> {
    const response = await fetch(this.running.url + path);
    return { status: response.status, body: (await response.json()) as Reached['body'] };
  }

  async post(path: string, body: unknown): Promise<Reached> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(this.running.url + path, { method: 'POST', body: text });
    return { status: response.status, body: (await response.json()) as Reached['body'] };
  }
}
