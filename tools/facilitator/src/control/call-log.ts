import { createHash } from 'node:crypto';
import { authorizationKey } from '../chain/token';
import { PaymentRefused } from '../payments/refusal';
import type { Received } from '../payments/settlements';
import type { Target } from './control-command';

export interface PaymentCalls {
  payer: string;
  nonce: string;
  verify: number;
  settle: number;
  /** Different request bodies seen: 1 when verify, settle and every repeat sent the same bytes. */
  bodies: number;
  /** The same of settle alone: what settles again must send what settled first. */
  settleBodies: number;
}

interface Entry extends PaymentCalls {
  digests: Record<'verify' | 'settle', Set<string>>;
}

/** Counts what came in, so that a test can prove "one verify, one settle". */
export class CallLog {
  readonly totals: Record<Target, number> = { supported: 0, verify: 0, settle: 0, rpc: 0 };
  private readonly entries = new Map<string, Entry>();

  note(target: Target): void {
    this.totals[target] += 1;
  }

  notePayment(target: 'verify' | 'settle', { payment }: Received, body: Buffer): void {
    this.note(target);
    if (payment instanceof PaymentRefused) return;
    const { from, nonce } = payment.authorization;
    const entry = this.entryOf(from.toLowerCase(), nonce);
    entry[target] += 1;
    entry.digests[target].add(createHash('sha256').update(body).digest('hex'));
    entry.bodies = new Set([...entry.digests.verify, ...entry.digests.settle]).size;
    entry.settleBodies = entry.digests.settle.size;
  }

  /** @param nonce leaves only what is about this one */
  payments(nonce?: string): PaymentCalls[] {
    const entries = [...this.entries.values()].filter((entry) => nonce === undefined || entry.nonce === nonce);
    return entries.map(({ digests: _, ...calls }) => calls);
  }

  private entryOf(payer: string, nonce: string): Entry {
    const key = authorizationKey(payer, nonce);
    const entry = this.entries.get(key) ?? newEntry(payer, nonce);
    this.entries.set(key, entry);
    return entry;
  }
}

function newEntry(payer: string, nonce: string): Entry {
  const digests = { verify: new Set<string>(), settle: new Set<string>() };
  return { payer, nonce, verify: 0, settle: 0, bodies: 0, settleBodies: 0, digests };
}
