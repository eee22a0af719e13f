import type { Payment, Payments } from './answers';
import { extended, PAGE_ROWS, refreshed, rowsToRefresh } from './payments.panel';

/** Verified in the order of their numbers. */
const aRow = (number: number, status: Payment['status'] = 'settled') =>
  ({ id: `p${number}`, verified_at: `2026-01-31T12:00:${String(number).padStart(2, '0')}.000Z`, status }) as Payment;
const asOf = '2026-01-31T12:01:00.000Z';
const aPage = (numbers: number[], next_cursor: string | null) =>
  ({ payments: numbers.map((number) => aRow(number)), next_cursor, as_of: asOf }) as Payments;
const idsOf = (rows: Payment[]) => rows.map(({ id }) => id).join(' ');

it('adds the next page below, and no row twice', () => {
  const { rows, nextCursor } = extended({ rows: [aRow(9), aRow(8)], nextCursor: 'a', asOf }, aPage([8, 7, 6], 'b'));
  expect([idsOf(rows), nextCursor]).toEqual(['p9 p8 p7 p6', 'b']);
});

it('adds new rows above and retains the rows below', () => {
  const before = { rows: [aRow(9), aRow(8, 'settlement_pending'), aRow(7), aRow(6)], nextCursor: 'below 6', asOf };
  const { rows, nextCursor } = refreshed(before, aPage([10, 9, 8], 'below 8'));
  expect([idsOf(rows), nextCursor]).toEqual(['p10 p9 p8 p7 p6', 'below 6']);
  expect(rows[2]).toMatchObject({ id: 'p8', status: 'settled' });
});

it('takes the page alone where nothing lies below it', () => {
  const before = { rows: [aRow(9), aRow(8)], nextCursor: 'below 8', asOf };
  expect(refreshed(before, aPage([9, 8], 'again'))).toMatchObject({ nextCursor: 'again' });
  expect(refreshed(before, aPage([], null))).toEqual({ rows: [], nextCursor: null, asOf });
  expect(idsOf(refreshed(before, aPage([9], null)).rows)).toBe('p9');
});

it('asks again for as many rows as are shown, within the limit', () => {
  const shown = (count: number) => ({ rows: Array.from({ length: count }, () => aRow(1)), nextCursor: null, asOf });
  expect([0, 25, 75, 500].map((count) => rowsToRefresh(shown(count)))).toEqual([PAGE_ROWS, 25, 75, 200]);
});
