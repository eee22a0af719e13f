import type { Customer, Customers, Payment, Payments } from './answers';

export const MORE_ROWS = 25;
/** So many rows are kept and read again; more would be too many to look through. */
export const MOST_ROWS = 400;
/** Rows at most in one answer of the API. */
const ANSWER_ROWS = 200;

type Listed = { next_cursor: string | null };

type ReadPage<Answer> = (page: { limit: number; cursor?: string }) => Promise<Answer>;

export interface List<Answer extends Listed, Row> {
  first: number;
  rows: (answer: Answer) => readonly Row[];
  withRows: (answer: Answer, rows: Row[]) => Answer;
  key: (row: Row) => string;
}

export const PAYMENTS: List<Payments, Payment> = {
  first: MORE_ROWS,
  rows: ({ payments }) => payments,
  withRows: (answer, payments) => ({ ...answer, payments }),
  key: ({ id }) => id,
};

export const CUSTOMERS: List<Customers, Customer> = {
  first: 10,
  rows: ({ customers }) => customers,
  withRows: (answer, customers) => ({ ...answer, customers }),
  key: ({ wallet }) => wallet,
};

/**
 * Reads the first rows, and those down to the last one that is shown where somebody has asked for more or is among them:
 * whatever came in between, none is left out.
 * @param before what is shown; undefined for nothing
 * @param isHeld whether rows may not go away
 */
export async function readList<Answer extends Listed, Row>(
  list: List<Answer, Row>,
  readPage: ReadPage<Answer>,
  before: Answer | undefined,
  isHeld: boolean,
): Promise<Answer> {
  const { first, rows, key } = list;
  const keys = before ? rows(before).map(key) : [];
  const last = isHeld || keys.length > first ? keys.at(-1) : undefined;
  let answer = await readPage({ limit: last ? Math.min(keys.length, ANSWER_ROWS) : first });
  const isMissing = () => last !== undefined && !rows(answer).some((row) => key(row) === last);
  while (answer.next_cursor !== null && isMissing() && rows(answer).length < MOST_ROWS) {
    const missing = Math.max(keys.length - rows(answer).length, MORE_ROWS);
    const page = { limit: Math.min(missing, ANSWER_ROWS), cursor: answer.next_cursor };
    answer = withPage(list, answer, await readPage(page));
  }
  return answer;
}

/** The next page below; a row that has moved from a page to the next is there once. */
export function withPage<Answer extends Listed, Row>(list: List<Answer, Row>, before: Answer, page: Answer): Answer {
  const { rows, key, withRows } = list;
  const known = new Set(rows(before).map(key));
  const more = rows(page).filter((row) => !known.has(key(row)));
  return { ...withRows(before, [...rows(before), ...more]), next_cursor: page.next_cursor };
}
