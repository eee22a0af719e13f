import { randomBytes } from 'node:crypto';
import { CHAINS } from '@evenkeel/contracts';
import { ManualClock } from '@evenkeel/kernel';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { readAuthorization } from './payment-request';
import { type RunningFacilitator, startFacilitator } from './start-facilitator';
import { TRANSFER_TYPES } from './token';

export const noon = new Date('2026-01-31T12:00:00.000Z');
export const base = CHAINS[0]!;
export const payTo = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

export interface Signed {
  signature: Hex;
  authorization: { from: Hex; to: Hex; value: string; validAfter: string; validBefore: string; nonce: Hex };
}

export interface Wish {
  x402Version?: 1 | 2;
  account?: ReturnType<typeof aWallet>;
  /** Changes what is signed. */
  authorization?: Partial<Signed['authorization']>;
  /** Signs under another EIP-712 domain. */
  domain?: { name?: string; chainId?: number };
  /** Changes what is sent after signing. */
  requirements?: Record<string, unknown>;
  payload?: Record<string, unknown>;
}

export const aWallet = () => privateKeyToAccount(generatePrivateKey());

/** The signed part of a good payment of 0.05 USD at noon. */
export async function aSigned({ account = aWallet(), authorization = {}, domain = {} }: Wish = {}): Promise<Signed> {
  const signed: Signed['authorization'] = {
    from: account.address,
    to: payTo,
    value: '50000',
    validAfter: '0',
    validBefore: String(noon.getTime() / 1000 + 300),
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...authorization,
  };
  const { address, name, version } = base.usdc;
  const signature = await account.signTypedData({
    domain: { name, version, chainId: base.chainId, verifyingContract: address as Hex, ...domain },
    types: TRANSFER_TYPES,
    primaryType: 'TransferWithAuthorization',
    message: readAuthorization(signed),
  });
  return { signature, authorization: signed };
}

/** The body of verify and settle for a good payment of 0.05 USD at noon. */
export async function aPayment(wish: Wish = {}) {
  return aBody(await aSigned(wish), wish);
}

/** Words a signed transfer in version 1 or 2. */
export function aBody(payload: Signed, { x402Version = 2, requirements = {}, payload: other = {} }: Wish = {}) {
  const { name, version, address: asset } = base.usdc;
  const terms = { scheme: 'exact', asset, payTo, maxTimeoutSeconds: 300, extra: { name, version } };
  const listing = { description: 'Habit analysis', mimeType: 'application/json', resource: 'http://localhost:8080/x' };
  const asked =
    x402Version === 1
      ? { ...terms, ...listing, network: base.shortName, maxAmountRequired: '50000', ...requirements }
      : { ...terms, network: base.caip2, amount: '50000', ...requirements };
  const chosen = x402Version === 1 ? { scheme: 'exact', network: base.shortName } : { accepted: asked };
  return {
    x402Version,
    paymentPayload: { x402Version, ...chosen, payload, ...other },
    paymentRequirements: asked,
  };
}

interface Reached {
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
    return this.ask('/verify', body);
  }

  settle(body: unknown): Promise<Reached> {
    return this.ask('/settle', body);
  }

  /** @param body sent with POST; without one it is a GET */
  async ask(path: string, body?: unknown): Promise<Reached> {
    const post = { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(this.running.url + path, body === undefined ? {} : post);
    return { status: response.status, body: (await response.json()) as Reached['body'] };
  }
}
