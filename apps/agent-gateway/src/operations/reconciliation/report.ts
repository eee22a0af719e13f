import { usdAmount } from '@evenkeel/kernel';
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
  /** Meaning and remedy. */
  remedy: string;
}

/** The ledger compared with another record of the same payments. */
export interface Comparison {
  with: 'chain' | 'facilitator' | 'outbox';
  /** Payments on both sides. */
  matched: number;
  /** Settled in the ledger, and not there. */
  oursOnly: Difference[];
  /** There, and not settled in the ledger. */
  theirsOnly: Difference[];
  /** All money of the period as each side has it, where the other side is the chain. */
  sums?: { ledgerMicros: number; chainMicros: number };
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

/** The time that is compared, and how to behave meanwhile. */
export interface Period {
  since: Date;
  until: Date;
  /** The time is up: return what was compared. */
  isLate: () => boolean;
  /** Called with a line that says how far it came. */
  report: (line: string) => void;
}

export function reachedBy({ comparisons }: Report): Date {
  return new Date(Math.min(...comparisons.map(({ comparedUntil }) => comparedUntil.getTime())));
}

export function isComplete(report: Report): boolean {
  return reachedBy(report) >= report.until;
}

export function differencesIn({ comparisons, needPerson }: Report): Difference[] {
  return [...needPerson, ...comparisons.flatMap(({ oursOnly, theirsOnly }) => [...oursOnly, ...theirsOnly])];
}

export function summaryOf(report: Report): Record<string, unknown> {
  const counts = report.comparisons.map(({ with: source, matched, oursOnly, theirsOnly, sums }) => {
    return [source, { matched, oursOnly: oursOnly.length, theirsOnly: theirsOnly.length, ...sums }] as const;
  });
  const { since, until, needPerson } = report;
  return { since, until, complete: isComplete(report), ...Object.fromEntries(counts), needPerson: needPerson.length };
}

export function reportText(report: Report): string {
  const { since, until, comparisons, needPerson } = report;
  const parts = [
    `Payments from ${since.toISOString()} to ${until.toISOString()}\n`,
    ...comparisons.map(comparisonText),
  ];
  if (!comparisons.some((comparison) => comparison.with === 'chain')) {
    parts.push('The chain was not looked at: X402_RPC_URL is not set.\n');
  }
  parts.push(listText('Need a person', needPerson));
  if (!isComplete(report)) {
    parts.push(`The time was up. Go on with: npm run reconcile -- --since ${reachedBy(report).toISOString()}\n`);
  } else if (differencesIn(report).length === 0) parts.push('Everything agrees.\n');
  return parts.filter(Boolean).join('\n');
}

const NAMES: Record<Comparison['with'], string> = {
  outbox: 'Ledger and outbox',
  chain: 'Ledger and chain',
  facilitator: "Ledger and the facilitator's list",
};

function comparisonText({ with: source, matched, oursOnly, theirsOnly, sums }: Comparison): string {
  const head = `${NAMES[source]}: ${matched} matched, ${oursOnly.length} ours only, ${theirsOnly.length} theirs only\n`;
  const money = sums ? `  Received ${usd(sums.chainMicros)}, in the ledger ${usd(sums.ledgerMicros)}\n` : '';
  return head + money + listText('Ours only', oursOnly) + listText('Theirs only', theirsOnly);
}

function listText(title: string, differences: readonly Difference[]): string {
  if (differences.length === 0) return '';
  return `  ${title}\n${differences.map(differenceText).join('')}`;
}

function differenceText({ payer, nonce, amountMicros, transactionHash, state, remedy }: Difference): string {
  const named = [`payer ${payer}`, nonce && `nonce ${nonce}`, transactionHash && `transaction ${transactionHash}`];
  const lines = [`  - ${usd(amountMicros)}  ${state ?? 'not in the ledger'}`, ...named.filter(Boolean), remedy];
  return `${lines.join('\n    ')}\n\n`;
}

function usd(micros: number): string {
  return `${usdAmount(micros).usd_exact} USD`;
}
