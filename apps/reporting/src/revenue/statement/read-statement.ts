import { usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import {
  AdjustedAfterView,
  AsOfView,
  callSums,
  CallSumsView,
  Money,
  NO_TOTALS,
  plus,
  type Totals,
} from '../figures/figures';
import { pathsOf } from '../figures/read-endpoints';
import { adjustedAfter, type Basis, BASES, readFiguresBy } from '../figures/span-rows';
import { dayOf, instantsOf, lastOfMonth, type Window, wholeOf, windowOf } from '../figures/window';
import { creditFigures, CreditsView } from '../ledger/read-credits';
import type { StatementQuery } from '../revenue-query';
import type { Unstamped } from '../revenue-snapshot';
import { subscriptionFigures } from '../subscriptions/read-subscriptions';
import { InvoicesView, MrrView, SubscribersView } from '../subscriptions/subscription-figures';

class StatementEndpointView extends CallSumsView {
  @ApiProperty() endpoint!: string;
}

class StatementTotalsView extends CallSumsView {
  @ApiProperty({ type: [StatementEndpointView], description: 'they add up to the figures beside them' })
  endpoints!: StatementEndpointView[];
}

class StatementCreditsView extends OmitType(CreditsView, [
  ...(['currency', 'days', 'from', 'to', 'points', 'as_of', 'lag_seconds'] as const),
]) {}

class StatementSubscriptionsView {
  @ApiProperty() mrr!: MrrView;
  @ApiProperty() subscribers!: SubscribersView;
  @ApiProperty({ description: 'with what was refunded and disputed in the month' }) invoices!: InvoicesView;
}

class InvoicesCorrectedView {
  @ApiProperty({ description: 'refunded since, less what came back of it' }) refunded!: Money;
  @ApiProperty({ description: 'disputed since, less disputes won' }) disputed!: Money;
}

class CorrectedSinceView {
  @ApiProperty({ description: 'of the calls of the month, what settled or failed later: by call it is in the figures' })
  calls!: AdjustedAfterView;
  @ApiProperty({ description: 'of the invoices of the month, what went back after its end' })
  invoices!: InvoicesCorrectedView;
}

export class StatementView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty({ pattern: '^\\d{4}-\\d{2}$' }) month!: string;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ description: 'whether the month is over' }) closed!: boolean;
  @ApiProperty({ enum: BASES, description: 'of `calls`' }) basis!: Basis;
  @ApiProperty() calls!: StatementTotalsView;
  @ApiProperty({ description: 'opening and issued less redeemed and expired is closing' })
  credits!: StatementCreditsView;
  @ApiProperty({ description: 'never added to the revenue of calls' }) subscriptions!: StatementSubscriptionsView;
  @ApiProperty() corrected_since!: CorrectedSinceView;
}

/** Of invoices that were paid in the month, what went back after it. */
const CORRECTED = `
  SELECT coalesce(sum(CASE kind WHEN 'refund' THEN a.amount_micros WHEN 'refund_failed' THEN -a.amount_micros END), 0)::bigint
      AS refunded,
    coalesce(sum(CASE kind WHEN 'dispute' THEN a.amount_micros WHEN 'dispute_won' THEN -a.amount_micros END), 0)::bigint
      AS disputed
  FROM invoice_adjustments a JOIN invoices i ON i.id = a.invoice_id
  WHERE i.paid_at >= $1 AND i.paid_at < $2 AND a.occurred_at >= $2`;

/**
 * One calendar month for the books: it adds up by itself, and to the files of payments, credits and invoices.
 * @throws ValidationFailed for a month that has not begun
 */
export async function readStatement(
  tx: EntityManager,
  now: Date,
  { month, basis }: StatementQuery,
): Promise<Unstamped<StatementView>> {
  const window = windowOf({ month }, now);
  const { mrr, subscribers, invoices } = await subscriptionFigures(tx, wholeOf(window));
  const { points: _, ...credits } = await creditFigures(tx, window, now);
  return {
    currency: 'USD' as const,
    month,
    from: window.from,
    to: window.to,
    closed: lastOfMonth(window.from) < dayOf(now.getTime()),
    basis,
    calls: await callsOf(tx, basis, window),
    credits,
    subscriptions: { mrr, subscribers, invoices },
    corrected_since: { calls: await adjustedAfter(tx, window), invoices: await invoicesCorrected(tx, window) },
  };
}

async function callsOf(tx: EntityManager, basis: Basis, window: Window): Promise<StatementTotalsView> {
  const byPath = await readFiguresBy(tx, 'endpoint', basis, wholeOf(window));
  const paths = pathsOf(byPath);
  const totalsOf = (path: string): Totals => byPath.get(path)?.totals ?? NO_TOTALS;
  const all = paths.map(totalsOf).reduce(plus, NO_TOTALS);
  return {
    ...callSums(all),
    endpoints: paths.map((endpoint) => ({ endpoint, ...callSums(totalsOf(endpoint)) })),
  };
}

async function invoicesCorrected(tx: EntityManager, window: Window): Promise<InvoicesCorrectedView> {
  const [row] = await tx.query<[Record<keyof InvoicesCorrectedView, string>]>(CORRECTED, instantsOf(window));
  return { refunded: usdAmount(readMicros(row.refunded)), disputed: usdAmount(readMicros(row.disputed)) };
}
