import type { Payment, Payments } from './answers';
import { extended, MOST_ROWS, PAGE_ROWS, type PaymentRows, readRows } from './payment-rows';

const asOf = '2026-01-31T12:01:00.000Z';
/** Verified in the order of their numbers. */
const aRow = (number: number) => ({ id: `p${number}` }) as Payment;
const rowsOf = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => aRow(from - index));
const idsOf = (rows: Payment[]) => rows.map(({ id }) => Number(id.slice(1)));
const shown = (from: number, to: number, isExtended = true): PaymentRows => ({
  rows: rowsOf(from, to),
  nextCursor: `p${to}`,
  asOf,
  isExtended,
});

let asked: { limit: number; cursor?: string }[];
/** All payments from the newest to the first, in pages. */
const ledger = (newest: number) => async (page: { limit: number; cursor?: string }) => {
  asked.push(page);
  const from = page.cursor ? Number(page.cursor.slice(1)) - 1 : newest;
  const payments = rowsOf(from, Math.max(1, from - page.limit + 1));
  const last = payments.at(-1)!;
  return { payments, next_cursor: last.id === 'p1' ? null : last.id, as_of: asOf } as Payments;
};
beforeEach(() => (asked = []));

it('reads the first page at first, and where nobody is among the rows', async () => {
  for (const before of [undefined, shown(900, 700)]) {
    const { rows, nextCursor } = await readRows(ledger(1_000), before, false);
    expect([rows.length, idsOf(rows)[0], nextCursor]).toEqual([PAGE_ROWS, 1_000, 'p976']);
  }
  expect(asked).toEqual([{ limit: 25 }, { limit: 25 }]);
});

it.each([
  ['nothing is new', 1_000, ['60'], 941],
  ['some rows are new', 1_003, ['60', '3 below p944'], 941],
  ['the newest page does not touch the rows below', 1_150, ['60', '200 below p1091'], 891],
  ['more are new than the list may have', 9_000, ['60', '200 below p8941', '140 below p8741'], 8_601],
])('keeps all rows down to the last one, and leaves out none between: %s', async (_, newest, reads, last) => {
  const { rows, nextCursor, isExtended } = await readRows(ledger(newest), shown(1_000, 941), true);
  expect(idsOf(rows)).toEqual(idsOf(rowsOf(newest, last)));
  expect(asked.map(({ limit, cursor }) => (cursor ? `${limit} below ${cursor}` : String(limit)))).toEqual(reads);
  expect([nextCursor, isExtended]).toEqual([`p${last}`, true]);
  expect(rows.length).toBeLessThanOrEqual(MOST_ROWS);
});

it('ends where the payments end', async () => {
  const { rows, nextCursor } = await readRows(ledger(70), shown(68, 3), true);
  expect([idsOf(rows).at(-1), nextCursor]).toEqual([3, 'p3']);
  expect((await readRows(ledger(7), shown(7, 1), true)).nextCursor).toBeNull();
});

it('takes what rows have become since', async () => {
  const before = {
    ...shown(9, 1),
    rows: rowsOf(9, 1).map((row) => ({ ...row, status: 'settlement_pending' as const })),
  };
  const { rows } = await readRows(ledger(9), before, true);
  expect(rows.some(({ status }) => status === 'settlement_pending')).toBe(false);
});

it('adds the next page below, and no row twice', () => {
  const page = { payments: rowsOf(8, 6), next_cursor: 'b', as_of: asOf } as Payments;
  const { rows, nextCursor, isExtended } = extended(shown(9, 8, false), page);
  expect([idsOf(rows), nextCursor, isExtended]).toEqual([[9, 8, 7, 6], 'b', true]);
});
