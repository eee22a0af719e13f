import type { FacilitatorRequest, WordingVersion } from './wording';

/** What verify said. Only a verdict decides; `unavailable` means that nothing is known and nothing was written. */
export type Verdict =
  { kind: 'valid' } | { kind: 'invalid'; reason: string | null } | { kind: 'unavailable'; cause: string };

/**
 * What settle said, in the classes of payments.md section 5.
 * - `settled`: the money moved; the hash may be missing.
 * - `refused`: definite, no transaction was sent.
 * - `reverted`, `nonce_used`: someone's transaction decided, only the chain knows whose.
 * - `pending`: the facilitator works on it. `silent`: no usable answer. Both may be served unsettled, under a bound.
 * - `unclear`: an answer that decides nothing.
 */
export type SettleOutcome =
  | { kind: 'settled'; transactionHash: string | null }
  | { kind: 'refused'; reason: string | null }
  | { kind: 'reverted' | 'nonce_used' | 'unclear'; reason: string | null; transactionHash: string | null }
  | { kind: 'pending' | 'silent'; reason: string | null };

/** The other side is not ours: whatever it sends, or does not send, becomes one of the outcomes above. Never throws. */
export abstract class Facilitator {
  abstract verify(request: FacilitatorRequest): Promise<Verdict>;
  abstract settle(request: FacilitatorRequest): Promise<SettleOutcome>;
  /** 2 when the facilitator lists version 2 for our chain, else 1. */
  abstract wordingVersion(): WordingVersion;
}
