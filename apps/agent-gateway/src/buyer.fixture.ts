import { randomBytes } from 'node:crypto';
import type { PaidEndpoint } from '@evenkeel/contracts';
import type { Clock } from '@evenkeel/kernel';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  analyze,
  anAuthorization,
  headerOf,
  payloadOf,
  type SignedPart,
  terms,
  type PayloadParts,
} from './payments/payment.fixture';
import type { Authorization } from './calls/payment';

const MEMBERS = { from: 'address', to: 'address', value: 'uint256', validAfter: 'uint256', validBefore: 'uint256' };
const TYPES = {
  TransferWithAuthorization: Object.entries({ ...MEMBERS, nonce: 'bytes32' }).map(([name, type]) => ({ name, type })),
};

type Identified = Omit<PayloadParts, 'extensions'> & { identifier?: string };

export interface Wanted extends Identified {
  endpoint?: PaidEndpoint;
  /** Changes what is signed. */
  authorization?: Partial<Authorization>;
}

/** A payment header, and the values by which tests find the payment. */
export interface SignedPayment {
  header: string;
  nonce: string;
  authorization: Authorization;
  /** The same authorization in another header. */
  reworded(wanted: Identified): string;
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
    const signed = {
      ...anAuthorization(),
      from: this.account.address,
      value: String(endpoint.priceMicros),
      validBefore: String(Math.floor(this.clock.now().getTime() / 1_000) + 300),
      nonce: `0x${randomBytes(32).toString('hex')}`,
      ...authorization,
    };
    const payload = { signature: await this.signatureOf(signed), authorization: signed };
    return {
      header: headerOf(payloadWith(payload, requirements)),
      nonce: signed.nonce,
      authorization: signed,
      reworded: (other) => headerOf(payloadWith(payload, { ...requirements, ...other })),
      resigned: () => headerOf(payloadWith({ ...payload, signature: withSmallV(payload.signature) }, requirements)),
      respelled: () => headerOf(respelled(payloadWith(payload, requirements))),
    };
  }

  private signatureOf(signed: Authorization): Promise<Hex> {
    const { name, version, address } = terms.chain.usdc;
    const [value, validAfter, validBefore] = [signed.value, signed.validAfter, signed.validBefore].map(BigInt);
    return this.account.signTypedData({
      domain: { name, version, chainId: terms.chain.chainId, verifyingContract: address as Hex },
      types: TYPES,
      primaryType: 'TransferWithAuthorization',
      message: { ...signed, value, validAfter, validBefore },
    });
  }
}

function payloadWith(payload: SignedPart, { identifier, ...parts }: Identified): object {
  if (identifier === undefined) return payloadOf(payload, parts);
  const extensions = { 'payment-identifier': { info: { required: false, id: identifier } } };
  return payloadOf(payload, { ...parts, extensions });
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
