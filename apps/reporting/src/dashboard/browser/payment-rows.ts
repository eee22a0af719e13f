import type { Payment, Payments } from './answers';

export const PAGE_ROWS = 25;
/** What the interface gives at most. */
const MOST_ROWS = 200;

export interface PaymentRows {
  rows: Payment[];
  nextCursor: string | null;
}

/** So many rows are asked for again, that what was loaded on demand stays. */
export function rowsToRefresh({ rows }: PaymentRows): number {
  return Math.min(Math.max(rows.length, PAGE_ROWS), MOST_ROWS);
}

/** Newer rows push in from above; what lies below the page that came stays as it was. */
export function refreshed(before: PaymentRows, page: Payments): PaymentRows {
  const rows = page.payments;
  const last = rows.at(-1);
  const below = last === undefined ? [] : before.rows.filter((row) => comesAfter(row, last));
  if (below.length === 0 || page.next_cursor === null) return { rows, nextCursor: page.next_cursor };
  return { rows: [...rows, ...below], nextCursor: before.nextCursor };
}

/** The next page below. */
export function extended(before: PaymentRows, page: Payments): PaymentRows {
  const known = new Set(before.rows.map(({ id }) => id));
  return {
    rows: [...before.rows, ...page.payments.filter(({ id }) => !known.has(id))],
    nextCursor: page.next_cursor,
  };
}

/** Newest first, ties by id descending, as the interface sorts them. */
function comesAfter(row: Payment, other: Payment): boolean {
  if (row.verified_at !== other.verified_at) return row.verified_at < other.verified_at;
  return row.id < other.id;
}
