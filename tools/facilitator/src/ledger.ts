import { createHash } from 'node:crypto';
import type { PaymentCall } from './facilitator';
import { PaymentRefused } from './payment-request';
import { authorizationKey, isAuthorization } from './token';
import type { TokenChain, Transaction } from './token-chain';

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
  submittedBy: Transaction['submittedBy'];
  settledAt: string;
}

export interface Ledger {
  /** Calls that came in, whatever they were answered. */
  calls: Record<PaymentCall['target'], number>;
  /** The same per payment. */
  payments: PaymentCalls[];
  settlements: Settlement[];
}

/** Of each call about a payment the digest of its body. */
type Entry = { payer: string; nonce: string } & Record<PaymentCall['target'], string[]>;

/** Counts what came in, so that a test can prove "one verify, one settle". */
export class CallLog {
  private readonly totals: Ledger['calls'] = { verify: 0, settle: 0 };
  private readonly entries = new Map<string, Entry>();

  note({ target, payment }: PaymentCall, body: string): void {
    this.totals[target] += 1;
    if (payment instanceof PaymentRefused) return;
    const { from, nonce } = payment.authorization;
    const key = authorizationKey(from, nonce);
    const entry = this.entries.get(key) ?? { payer: from.toLowerCase(), nonce, verify: [], settle: [] };
    this.entries.set(key, entry);
    entry[target].push(createHash('sha256').update(body).digest('hex'));
  }

  /** @param nonce leaves only what is about this one */
  read(chain: TokenChain, nonce?: string): Ledger {
    const isWanted = (one: { nonce: string }) => nonce === undefined || one.nonce === nonce.toLowerCase();
    const payments = [...this.entries.values()].filter(isWanted).map(({ verify, settle, ...payment }) => ({
      ...payment,
      verify: verify.length,
      settle: settle.length,
      bodies: new Set([...verify, ...settle]).size,
      settleBodies: new Set(settle).size,
    }));
    const settlements = chain.allTransactions().flatMap(settlementsIn).filter(isWanted);
    return { calls: this.totals, payments, settlements };
  }
}

function settlementsIn({ hash, submittedBy, transfers, inclusion }: Transaction): Settlement[] {
  if (!inclusion || inclusion.reverted) return [];
  return transfers.filter(isAuthorization).map(({ from, to, nonce, value }) => ({
    payer: from.toLowerCase(),
    nonce,
    to: to.toLowerCase(),
    value: value.toString(),
    transaction: hash,
    submittedBy,
    settledAt: inclusion.at.toISOString(),
  }));
}
