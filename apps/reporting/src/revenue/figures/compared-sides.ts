import type { EntityManager } from 'typeorm';
import { type Basis, COLUMNS } from './basis';
import { spanView } from './figures';
import type { Comparison, Span, Window } from './window';

/** The first day with revenue; null before the first payment. */
export async function firstPaymentDay(tx: EntityManager, basis: Basis): Promise<string | null> {
  const [row] = await tx.query<[{ day: string | null }]>(
    `SELECT min(day)::text AS day FROM daily_totals WHERE ${COLUMNS[basis].paid} > 0`,
  );
  return row.day;
}

/** There is nothing to compare with before the first payment: a part of a range would look like growth. */
export function isBeforeFirst({ from }: Pick<Window, 'from'>, first: string | null): boolean {
  return first === null || from < first;
}

/** Both sides of a comparison, one after the other; null when there is nothing to compare with. */
export async function comparedSides<Side extends object>(
  { current, before }: Comparison,
  first: string | null,
  sideOf: (span: Span) => Promise<Side>,
) {
  if (isBeforeFirst(before, first)) return null;
  const side = async (span: Span) => ({ ...spanView(span), ...(await sideOf(span)) });
  return { ...(await side(before)), compared: await side(current) };
}
