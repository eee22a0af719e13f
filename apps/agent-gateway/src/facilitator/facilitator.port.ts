import type { FacilitatorRequest, X402Version } from './payment-requirements';

/**
 * The outcome of verify. Only a verdict decides.
 * - `unavailable`: nothing is known and nothing was written.
 * - `undecided`: the same, by an answer that the buyer's payload may have caused.
 */
export type Verdict =
  { kind: 'valid' } | { kind: 'invalid'; reason: string | null } | { kind: 'unavailable' | 'undecided'; cause: string };

/**
 * The outcome of settle.
 * - `settled`: the money moved; the hash may be missing.
 * - `refused`: definite, nothing was sent to the chain.
 * - `reverted`, `nonce_used`: someone's transaction decided, only the chain knows whose.
 * - `pending`: the facilitator works on it. `silent`: no usable answer. Both may be served unsettled, under a bound; silence
 *   only after three seconds.
 * - `unclear`: an answer that decides nothing. `contradictory`: success, of another payer or network or by
 *   the transfer of another payment.
 */
export type SettleOutcome =
  | { kind: 'settled'; transactionHash: string | null }
  | { kind: 'refused'; reason: string }
  | { kind: 'reverted' | 'nonce_used' | 'unclear'; reason: string | null; transactionHash: string | null }
  | { kind: 'pending' | 'silent' | 'contradictory'; reason: string | null };

/** The other side is not ours: whatever it sends, or does not send, becomes one of the outcomes above. Never throws. */
export abstract class Facilitator {
  /** @param caller whose payment it is, as rate limits distinguish callers; null when our own worker asks */
  abstract verify(request: FacilitatorRequest, caller: string | null): Promise<Verdict>;
  abstract settle(request: FacilitatorRequest): Promise<SettleOutcome>;
  /** Whether it answers at all, as far as is known. */
  isAnswering(): boolean {
    return true;
  }

  /** 2 when the facilitator lists version 2 for our chain, else 1. */
  abstract requirementsVersion(): X402Version;
}
