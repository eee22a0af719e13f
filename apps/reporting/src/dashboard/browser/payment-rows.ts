import type { Payment, Payments } from './answers';

export const PAGE_ROWS = 25;
/** So many rows are kept and read again; what is older is found by its day, or in a file. */
export const MOST_ROWS = 400;
/** Rows at most in one answer of the API. */
const ANSWER_ROWS = 200;

export interface PaymentRows {
  rows: Payment[];
  nextCursor: string | null;
  asOf: string;
  /** Somebody has asked for more than the first page: no row goes away. */
  isExtended: boolean;
}

export type ReadPage = (page: { limit: number; cursor?: string }) => Promise<Payments>;

/**
 * Reads the newest rows, and those down to the last one that is shown where somebody is among them: whatever came in between,
 * none is left out.
 * @param before what is shown; undefined for nothing
 * @param isHeld whether rows may not go away
 */
export async function readRows(
  readPage: ReadPage,
  before: PaymentRows | undefined,
  isHeld: boolean,
): Promise<PaymentRows> {
  const shown = isHeld ? (before?.rows ?? []) : [];
  const known = new Set(shown.map(({ id }) => id));
  let page = await readPage({ limit: Math.min(Math.max(shown.length, PAGE_ROWS), ANSWER_ROWS) });
  const rows = [...page.payments];
  for (;;) {
    const { next_cursor: nextCursor, as_of: asOf } = page;
    const missing = Math.min(wantedRows(rows, known), MOST_ROWS) - rows.length;
    if (nextCursor === null || missing <= 0) return { rows, nextCursor, asOf, isExtended: before?.isExtended ?? false };
    page = await readPage({ limit: Math.min(missing, ANSWER_ROWS), cursor: nextCursor });
    rows.push(...page.payments);
  }
}

/** The new ones and as many as were shown; all there are until the first of those comes. */
function wantedRows(rows: readonly Payment[], known: ReadonlySet<string>): number {
  if (known.size === 0) return 0;
  const newRows = rows.findIndex(({ id }) => known.has(id));
  return newRows === -1 ? Infinity : newRows + known.size;
}

/** The next page below. */
export function extended(before: PaymentRows, page: Payments): PaymentRows {
  const known = new Set(before.rows.map(({ id }) => id));
  return {
    rows: [...before.rows, ...page.payments.filter(({ id }) => !known.has(id))],
    nextCursor: page.next_cursor,
    asOf: page.as_of,
    isExtended: true,
  };
}
