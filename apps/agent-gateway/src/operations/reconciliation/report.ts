import type { PaymentState } from '../../ledger/payment-state';

/** A payment, or a transfer, that one side has and the other has not. */
export interface Difference {
  payer: string;
  /** Null for a transfer that used no authorization. */
  nonce: string | null;
  amountMicros: number;
  transactionHash: string | null;
  /** Null when the ledger has no such payment. */
  state: PaymentState | null;
  /** What it means and what to do. */
  remedy: string;
}

/** The ledger beside what somebody else keeps of the same payments. */
export interface Comparison {
  with: 'chain' | 'facilitator' | 'outbox';
  /** Payments on both sides. */
  matched: number;
  /** Settled in the ledger, and not there. */
  oursOnly: Difference[];
  /** There, and not settled in the ledger. */
  theirsOnly: Difference[];
  /** How far it came; earlier than asked for when the time was up. */
  comparedUntil: Date;
}

export interface Report {
  since: Date;
  until: Date;
  comparisons: Comparison[];
  /** Payments whose outcome only a person can end. */
  needPerson: Difference[];
}

export function isComplete({ comparisons, until }: Report): boolean {
  return comparisons.every(({ comparedUntil }) => comparedUntil >= until);
}

export function differencesIn({ comparisons, needPerson }: Report): number {
  const apart = comparisons.map(({ oursOnly, theirsOnly }) => oursOnly.length + theirsOnly.length);
  return apart.reduce((sum, count) => sum + count, needPerson.length);
}

/** The counts, for a line of the log. */
export function summaryOf(report: Report): Record<string, unknown> {
  const counts = report.comparisons.map(({ with: source, matched, oursOnly, theirsOnly }) => {
    return [source, { matched, oursOnly: oursOnly.length, theirsOnly: theirsOnly.length }] as const;
  });
  const { since, until, needPerson } = report;
  return { since, until, complete: isComplete(report), ...Object.fromEntries(counts), needPerson: needPerson.length };
}
