import type { Hex } from 'viem';
import type { TokenChain } from '../chain/token-chain';
import { type PaymentRequest, readPaymentRequest } from './payment-request';
import { PaymentRefused, type X402Version } from './refusal';

/** A request as it came: with its payment, or with what is wrong with it. */
export interface Received {
  x402Version: X402Version;
  payment: PaymentRequest | PaymentRefused;
}

/** How a settlement goes. Without one: into the newest block, at once. */
export interface Delivery {
  /** The transaction stays pending; it lands after this time, or never by itself (null). */
  pendingForMs?: number | null;
  /** The transaction lands and is reverted. */
  reverts?: boolean;
}

export interface Outcome {
  state: 'success' | 'pending' | 'reverted';
  hash: Hex;
}

interface Sent {
  hash: Hex;
  lands: boolean;
}

/** Transactions sent for payments, and the memory by which an identical version 2 request finds its own again. */
export class Settlements {
  /** Sent and not confirmed yet, by signature, as engines keep them. */
  private readonly sent = new Map<Hex, Sent>();

  constructor(private readonly chain: TokenChain) {}

  /** Sends the transfer; the caller has made sure that the token takes it. */
  send({ x402Version, authorization, signature }: PaymentRequest, { pendingForMs, reverts }: Delivery): Outcome {
    const includedAfterMs = pendingForMs === undefined ? 0 : pendingForMs;
    const { hash } = this.chain.send(authorization, { submittedBy: 'facilitator', includedAfterMs, reverts });
    if (pendingForMs === undefined) return this.outcome(hash);
    if (x402Version === 2) this.sent.set(signature, { hash, lands: pendingForMs !== null });
    return { state: 'pending', hash };
  }

  /** @returns the outcome of the transaction already sent for this very payment, if there is one */
  again({ x402Version, authorization, signature }: PaymentRequest, { pendingForMs }: Delivery): Outcome | undefined {
    const sent = x402Version === 2 ? this.sent.get(signature) : undefined;
    if (!sent) return undefined;
    const { hash, lands } = sent;
    const expired = authorization.validBefore <= BigInt(this.chain.nowSeconds());
    if (lands ? pendingForMs !== undefined : !expired) return { state: 'pending', hash };

    this.sent.delete(signature);
    if (!lands) {
      this.chain.drop(hash);
      return undefined;
    }
    this.chain.include(hash);
    return this.outcome(hash);
  }

  private outcome(hash: Hex): Outcome {
    const { reverted } = this.chain.transaction(hash)!.inclusion!;
    return { state: reverted ? 'reverted' : 'success', hash };
  }
}

/** Never throws: what cannot be read is refused like any other payment. */
export function receive(body: unknown, versions: ReadonlySet<X402Version>): Received {
  const x402Version = x402VersionOf(body);
  if (!versions.has(x402Version)) return { x402Version, payment: new PaymentRefused('version') };
  try {
    return { x402Version, payment: readPaymentRequest(body) };
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    return { x402Version, payment: error };
  }
}

/** Anything but a 1 is spoken to in version 2. */
function x402VersionOf(body: unknown): X402Version {
  const version = typeof body === 'object' && body !== null && 'x402Version' in body ? body.x402Version : undefined;
  return version === 1 ? 1 : 2;
}
