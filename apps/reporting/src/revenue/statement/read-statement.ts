import { readMicros, usdAmount } from '@evenkeel/kernel';
import { OmitType } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import {
  AdjustedAfterView,
  AsOfView,
  callSums,
  CallSumsView,
  Is,
  Money,
  NO_TOTALS,
  plus,
  type Totals,
} from '../figures/figures';
import { pathsOf } from '../figures/read-endpoints';
import { type Basis, BASES, SpanRows } from '../figures/span-rows';
import { dayOf, instantsOf, lastOfMonth, type Window, wholeOf, windowOf } from '../figures/window';
import { creditFigures, CreditsView } from '../ledger/read-credits';
import type { StatementQuery } from '../revenue-query';
import type { Read } from '../revenue-snapshot';
import { subscriptionFigures } from '../subscriptions/read-subscriptions';
import { InvoicesView, MrrView, SubscribersView } from '../subscriptions/subscription-figures';

class StatementEndpointView extends CallSumsView {
  @Is.member() endpoint!: string;
}

class StatementTotalsView extends CallSumsView {
  @Is.listOf(StatementEndpointView, 'they add up to the figures beside them') endpoints!: StatementEndpointView[];
}

class StatementCreditsView extends OmitType(CreditsView, [
  ...(['currency', 'days', 'from', 'to', 'points', 'as_of', 'lag_seconds'] as const),
]) {}

class StatementSubscriptionsView {
  @Is.member() mrr!: MrrView;
  @Is.member() subscribers!: SubscribersView;
  @Is.member('with what was refunded and disputed in the month') invoices!: InvoicesView;
}

class InvoicesCorrectedView {
  @Is.member('refunded since, less what came back of it') refunded!: Money;
  @Is.member('disputed since, less disputes won') disputed!: Money;
}

class CorrectedSinceView {
  @Is.member('of the calls of the month, what settled or failed later: by call it is in the figures')
  calls!: AdjustedAfterView;
  @Is.member('of the invoices of the month, what went back after its end') invoices!: InvoicesCorrectedView;
}

export class StatementView extends AsOfView {
  @Is.oneOf(['USD']) currency!: 'USD';
  @Is.month() month!: string;
  @Is.day() from!: string;
  @Is.day() to!: string;
  @Is.member('whether the month is over') closed!: boolean;
  @Is.oneOf(BASES, 'of `calls`') basis!: Basis;
  @Is.member() calls!: StatementTotalsView;
  @Is.member('opening and issued less redeemed and expired is closing') credits!: StatementCreditsView;
  @Is.member('never added to the revenue of calls') subscriptions!: StatementSubscriptionsView;
  @Is.member() corrected_since!: CorrectedSinceView;
}

/** Of invoices that were paid in the month, what went back after it. */
const CORRECTED = `
  SELECT coalesce(sum(CASE kind WHEN 'refund' THEN a.amount_micros WHEN 'refund_failed' THEN -a.amount_micros END), 0)::bigint
      AS refunded,
    coalesce(sum(CASE kind WHEN 'dispute' THEN a.amount_micros WHEN 'dispute_won' THEN -a.amount_micros END), 0)::bigint
      AS disputed
  FROM invoice_adjustments a JOIN invoices i ON i.id = a.invoice_id
  WHERE i.paid_at >= $1 AND i.paid_at < $2 AND a.occurred_at >= $2`;

/** One calendar month for the books: it adds up by itself, and to the files of payments, credits and invoices. */
export const readStatement: Read<StatementQuery, StatementView> = async (tx, now, { month, basis }) => {
  const window = windowOf({ month }, now);
  const rows = new SpanRows(tx, basis);
  const { mrr, subscribers, invoices } = await subscriptionFigures(tx, wholeOf(window));
  const { points: _, ...credits } = await creditFigures(tx, window, now);
  return {
    currency: 'USD' as const,
    month,
    from: window.from,
    to: window.to,
    closed: lastOfMonth(window.from) < dayOf(now.getTime()),
    basis,
    calls: await callsOf(rows, window),
    credits,
    subscriptions: { mrr, subscribers, invoices },
    corrected_since: { calls: await rows.adjustedAfter(window), invoices: await invoicesCorrected(tx, window) },
  };
};

async function callsOf(rows: SpanRows, window: Window): Promise<StatementTotalsView> {
  const byPath = await rows.by('endpoint', wholeOf(window));
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
