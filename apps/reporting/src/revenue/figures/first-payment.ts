import type { EntityManager } from 'typeorm';
import { type Basis, COLUMNS } from './basis';
import type { Window } from './window';

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
