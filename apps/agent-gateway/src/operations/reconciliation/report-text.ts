import { usdAmount } from '@evenkeel/kernel';
import { differencesIn, isComplete, type Comparison, type Difference, type Report } from './report';

const NAMES: Record<Comparison['with'], string> = {
  outbox: 'Ledger and outbox',
  chain: 'Ledger and chain',
  facilitator: "Ledger and the facilitator's list",
};

/** What an operator reads. */
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
  if (!isComplete(report)) parts.push(goOn(report));
  else if (differencesIn(report) === 0) parts.push('Everything agrees.\n');
  return parts.filter(Boolean).join('\n');
}

function comparisonText({ with: source, matched, oursOnly, theirsOnly }: Comparison): string {
  const head = `${NAMES[source]}: ${matched} matched, ${oursOnly.length} ours only, ${theirsOnly.length} theirs only\n`;
  return head + listText('Ours only', oursOnly) + listText('Theirs only', theirsOnly);
}

function listText(title: string, differences: readonly Difference[]): string {
  if (differences.length === 0) return '';
  return `  ${title}\n${differences.map(differenceText).join('')}`;
}

function differenceText({ payer, nonce, amountMicros, transactionHash, state, remedy }: Difference): string {
  const lines = [
    `${usdAmount(amountMicros).usd_exact} USD  ${state ?? 'not in the ledger'}`,
    `payer ${payer}`,
    nonce && `nonce ${nonce}`,
    transactionHash && `transaction ${transactionHash}`,
    remedy,
  ];
  return `${lines
    .filter(Boolean)
    .map((line, index) => `${index === 0 ? '  - ' : '    '}${line}\n`)
    .join('')}\n`;
}

function goOn({ comparisons }: Report): string {
  const reached = new Date(Math.min(...comparisons.map(({ comparedUntil }) => comparedUntil.getTime())));
  return `The time was up. Go on with: npm run reconcile -- --since ${reached.toISOString()}\n`;
}
