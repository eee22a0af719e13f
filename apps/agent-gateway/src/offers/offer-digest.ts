import { createHash } from 'node:crypto';
import type { Offer } from '@evenkeel/contracts';
import { canonicalJson } from '../calls/canonical-json';

/** SHA-256 in hex of the canonical JSON of all offers: one short text that changes whenever price, receiver or shape of anything does (D-140). */
export function offerDigest(offers: readonly Offer[]): string {
  return createHash('sha256').update(canonicalJson(offers)).digest('hex');
}
