import { createHash } from 'node:crypto';

/** Version of the protocol in which the facilitator is spoken to. */
export type WordingVersion = 1 | 2;

/**
 * How a payment for one endpoint is put to the facilitator: everything but the signed authorization, which stands
 * between `head` and `tail`. Kept once in the ledger, so that every repeat sends the same bytes.
 */
export interface Wording {
  version: WordingVersion;
  head: string;
  tail: string;
}

export interface FacilitatorRequest {
  wording: Wording;
  /** JSON, members spelled as the buyer spelled them. */
  authorization: string;
  signature: string;
}

/** The body of verify and of settle. */
export function requestBody({ wording, authorization, signature }: FacilitatorRequest): string {
  return `${wording.head}{"signature":${JSON.stringify(signature)},"authorization":${authorization}}${wording.tail}`;
}

/** SHA-256, hex: the ledger finds a wording by it and refuses to send one that was altered. */
export function wordingDigest({ version, head, tail }: Wording): string {
  return createHash('sha256')
    .update(JSON.stringify([version, head, tail]))
    .digest('hex');
}
