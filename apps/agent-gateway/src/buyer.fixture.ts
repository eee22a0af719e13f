import { randomBytes } from 'node:crypto';
import type { PaidEndpoint } from '@evenkeel/contracts';
import type { Clock } from '@evenkeel/kernel';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { analyze, headerOf, terms } from './payments/payment.fixture';
import type { Authorization } from './calls/payment';

const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

export interface Wanted {
  endpoint?: PaidEndpoint;
  version?: 1 | 2;
  /** Changes what is signed. */
  authorization?: Partial<Authorization>;
  /** Members of the version 1 payload or of `accepted`, not signed. */
  offer?: Record<string, unknown>;
  identifier?: string;
}

/** A payment header, and the values by which tests find the payment. */
export interface SignedPayment {
  header: string;
  nonce: string;
  authorization: Authorization;
  /** The same authorization in another header. */
  reworded(wanted: Pick<Wanted, 'version' | 'offer' | 'identifier'>): string;
  /** The same signature in the other form that tokens take: its last byte 0 or 1 in place of 27 or 28. */
  resigned(): string;
  /** The same payment spelled differently: addresses in lower case, members in other order. */
  respelled(): string;
}

/** A wallet that signs payments as the public clients do. */
export class Buyer {
  private readonly account = privateKeyToAccount(generatePrivateKey());

  constructor(private readonly clock: Clock) {}

  /** In the spelling of the ledger. */
  get wallet(): string {
    return this.account.address.toLowerCase();
  }

  /** Signs a payment for one call; five minutes valid. */
  async sign({ endpoint = analyze, authorization = {}, ...requirements }: Wanted = {}): Promise<SignedPayment> {
    const signed: Authorization = {
      from: this.account.address,
      to: terms.payTo,
      value: String(endpoint.priceMicros),
      validAfter: '0',
      validBefore: String(Math.floor(this.clock.now().getTime() / 1_000) + 300),
      nonce: `0x${randomBytes(32).toString('hex')}`,
      ...authorization,
    };
    const payload = { signature: await this.signatureOf(signed), authorization: signed };
    return {
      header: headerOf(worded(payload, requirements)),
      nonce: signed.nonce,
      authorization: signed,
      reworded: (other) => headerOf(worded(payload, { ...requirements, ...other })),
      resigned: () => headerOf(worded({ ...payload, signature: withSmallV(payload.signature) }, requirements)),
      respelled: () => headerOf(respelled(worded(payload, requirements))),
    };
  }

  private signatureOf({ from, to, value, validAfter, validBefore, nonce }: Authorization): Promise<Hex> {
    const { name, version, address } = terms.chain.usdc;
    const [verifyingContract, fromHex, toHex, nonceHex] = [address, from, to, nonce] as Hex[];
    return this.account.signTypedData({
      domain: { name, version, chainId: terms.chain.chainId, verifyingContract },
      types: TYPES,
      primaryType: 'TransferWithAuthorization',
      message: {
        from: fromHex!,
        to: toHex!,
        value: BigInt(value),
        validAfter: BigInt(validAfter),
        validBefore: BigInt(validBefore),
        nonce: nonceHex!,
      },
    });
  }
}

interface Payload {
  signature: string;
  authorization: Authorization;
}

function worded(payload: Payload, { version = 1, offer, identifier }: Omit<Wanted, 'authorization'>): object {
  if (version === 1) return { x402Version: 1, scheme: 'exact', network: terms.chain.shortName, payload, ...offer };
  const { value: amount } = payload.authorization;
  const { asset, payTo, chain } = terms;
  const extensions = { 'payment-identifier': { info: { required: false, id: identifier } } };
  const accepted = { scheme: 'exact', network: chain.caip2, amount, asset, payTo, ...offer };
  return { x402Version: 2, accepted, payload, ...(identifier !== undefined && { extensions }) };
}

function withSmallV(signature: string): string {
  const v = parseInt(signature.slice(-2), 16) - 27;
  return `${signature.slice(0, -2)}0${v}`;
}

function respelled(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('0x')) return value.toLowerCase();
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, respelled(member)] as const);
  return Object.fromEntries(members.toReversed());
}
