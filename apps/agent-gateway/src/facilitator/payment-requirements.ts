import { createHash } from 'node:crypto';

/** Version of the protocol in which the facilitator is spoken to. */
export type X402Version = 1 | 2;

/**
 * How a payment for one endpoint is put to the facilitator: everything but the signed authorization, which stands
 * between `head` and `tail`. Kept once in the ledger, so that every repeat sends the same bytes.
 */
export interface PaymentRequirements {
  version: X402Version;
  head: string;
  tail: string;
}

export interface FacilitatorRequest {
  requirements: PaymentRequirements;
  /** JSON, members spelled as the buyer spelled them. */
  authorization: string;
  signature: string;
}

/** The body of verify and of settle. */
export function requestBody({ requirements, authorization, signature }: FacilitatorRequest): string {
  return `${requirements.head}{"signature":${JSON.stringify(signature)},"authorization":${authorization}}${requirements.tail}`;
}

/** SHA-256, hex: the ledger finds a requirements by it and refuses to send one that was altered. */
export function requirementsDigest({ version, head, tail }: PaymentRequirements): string {
  return createHash('sha256')
    .update(JSON.stringify([version, head, tail]))
    .digest('hex');
}
