import type { Money } from '../figures/figures';
import type { StatementView } from '../statement/read-statement';

export const STATEMENT_TITLES = ['month', 'section', 'item', 'count', 'amount_usd'];

type Line = (string | null)[];

/** Every figure of a statement as a line, in its order. */
export function statementLines({
  month,
  calls,
  credits,
  subscriptions,
  corrected_since: since,
}: StatementView): Line[] {
  const line = (section: string, item: string, count: number | null, amount: Money | null): Line => [
    month,
    section,
    item,
    count === null ? null : String(count),
    amount?.usd_exact ?? null,
  ];
  const amounts = (section: string, of: object): Line[] =>
    Object.entries(of).map(([item, value]: [string, Money | number | null]) =>
      typeof value === 'number' ? line(section, item, value, null) : line(section, item, null, value),
    );
  const { endpoints, ...sums } = calls;
  const { rebate_redeemed, returned_change, ...flows } = credits;
  return [
    ...endpoints.flatMap(({ endpoint, ...figures }) => amounts(endpoint, figures)),
    ...amounts('calls', sums),
    ...Object.entries(flows).map(([item, flow]) => line('credits', item, flow.credits, flow.face_value)),
    ...amounts('credits', { rebate_redeemed, returned_change }),
    ...amounts('mrr', subscriptions.mrr),
    ...amounts('subscribers', subscriptions.subscribers),
    ...amounts('invoices', subscriptions.invoices),
    ...amounts('corrected_since calls', since.calls),
    ...amounts('corrected_since invoices', since.invoices),
  ];
}
