import { createHash } from 'node:crypto';
import { authorizationKey, isAuthorization } from '../chain/token';
import type { Submitter, TokenChain } from '../chain/token-chain';
import type { PaymentCall } from '../payments/facilitator';
import { PaymentRefused } from '../payments/refusal';
import type { Target } from './mode-switch';

/** The calls about one payment. */
interface PaymentCalls {
  payer: string;
  nonce: string;
  verify: number;
  settle: number;
  /** Different request bodies seen: 1 when verify, settle and every repeat sent the same bytes. */
  bodies: number;
  /** The same of settle alone: what settles again must send what settled first. */
  settleBodies: number;
}

/** One authorization that was used, by any sender. */
interface Settlement {
  payer: string;
  nonce: string;
  to: string;
  /** Atomic units, decimal. */
  value: string;
  transaction: string;
  submittedBy: Submitter;
  sentAt: string;
  settledAt: string;
  block: number;
}

export interface Ledger {
  /** Calls that came in, whatever they were answered. */
  calls: Record<Target, number>;
  /** The same per payment. */
  payments: PaymentCalls[];
  settlements: Settlement[];
}

interface Entry {
  payer: string;
  nonce: string;
  verify: string[];
  settle: string[];
}

/** Counts what came in, so that a test can prove "one verify, one settle". */
export class CallLog {
  private readonly totals: Ledger['calls'] = { supported: 0, verify: 0, settle: 0, rpc: 0 };
  /** By payment; of each call the digest of its body. */
  private readonly entries = new Map<string, Entry>();

  note(target: Target): void {
    this.totals[target] += 1;
  }

  notePayment({ target, payment }: PaymentCall, body: string): void {
    this.note(target);
    if (payment instanceof PaymentRefused) return;
    const { from, nonce } = payment.authorization;
    const key = authorizationKey(from, nonce);
    const entry = this.entries.get(key) ?? { payer: from.toLowerCase(), nonce, verify: [], settle: [] };
    this.entries.set(key, entry);
    entry[target].push(createHash('sha256').update(body).digest('hex'));
  }

  /** @param nonce leaves only what is about this one */
  read(chain: TokenChain, nonce?: string): Ledger {
    const wanted = nonce?.toLowerCase();
    const isWanted = (one: { nonce: string }) => wanted === undefined || one.nonce === wanted;
    return {
      calls: this.totals,
      payments: [...this.entries.values()].filter(isWanted).map(({ payer, nonce: of, verify, settle }) => ({
        payer,
        nonce: of,
        verify: verify.length,
        settle: settle.length,
        bodies: new Set([...verify, ...settle]).size,
        settleBodies: new Set(settle).size,
      })),
      settlements: settlements(chain).filter(isWanted),
    };
  }
}

function settlements(chain: TokenChain): Settlement[] {
  return chain.allTransactions().flatMap(({ hash, submittedBy, sentAt, transfers, inclusion }) => {
    if (!inclusion || inclusion.reverted) return [];
    return transfers.filter(isAuthorization).map((transfer) => ({
      payer: transfer.from.toLowerCase(),
      nonce: transfer.nonce,
      to: transfer.to.toLowerCase(),
      value: transfer.value.toString(),
      transaction: hash,
      submittedBy,
      sentAt: sentAt.toISOString(),
      settledAt: inclusion.at.toISOString(),
      block: inclusion.block,
    }));
  });
}
