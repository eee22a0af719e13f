import type { Payment, Payments } from './answers';
import { type ListPage, MOST_ROWS, PAYMENTS, readList, withPage } from './lists';

/** Verified in the order of their numbers. */
const rowsOf = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => ({ id: `p${from - index}` }) as Payment);
const shown = (from: number, to: number) => ({ payments: rowsOf(from, to), next_cursor: `p${to}` }) as Payments;
const idsOf = ({ payments }: Payments) => payments.map(({ id }) => Number(id.slice(1)));

let asked: string[];
/** All payments from the newest to the first, in pages. */
const ledger =
  (newest: number) =>
  async ({ limit, cursor }: ListPage) => {
    asked.push(cursor ? `${limit} below ${cursor}` : String(limit));
    const from = cursor ? Number(cursor.slice(1)) - 1 : newest;
    const to = Math.max(1, from - limit + 1);
    return { ...shown(from, to), next_cursor: to === 1 ? null : `p${to}` };
  };
beforeEach(() => (asked = []));

it.each<[string, number, Payments | undefined, boolean, string[], number]>([
  ['at first', 1_000, undefined, false, ['25'], 976],
  ['nobody is among the rows of the first page', 1_000, shown(924, 900), false, ['25'], 976],
  ['somebody is', 1_000, shown(998, 974), true, ['25', '2 below p976'], 974],
  ['more were wanted, and nothing is new', 1_000, shown(1_000, 941), false, ['60'], 941],
  ['some rows are new', 1_003, shown(1_000, 941), false, ['60', '3 below p944'], 941],
  ['the newest do not touch the rows below', 1_150, shown(1_000, 941), false, ['60', '200 below p1091'], 891],
  ['too many are new', 9_000, shown(1_000, 941), false, ['60', '200 below p8941', '140 below p8741'], 8_601],
  ['the payments end', 70, shown(68, 3), false, ['66', '2 below p5'], 3],
])('keeps all rows that are shown, and leaves out none between: %s', async (_, newest, before, isHeld, reads, last) => {
  const answer = await readList(PAYMENTS, ledger(newest), before, isHeld);
  expect(idsOf(answer)).toEqual(idsOf(shown(newest, last)));
  expect(asked).toEqual(reads);
  expect([answer.next_cursor, answer.payments.length <= MOST_ROWS]).toEqual([`p${last}`, true]);
});

it('adds the next page below, and no row twice', () => {
  const { payments, next_cursor } = withPage(PAYMENTS, shown(9, 8), { ...shown(8, 6), next_cursor: null });
  expect([payments, next_cursor]).toEqual([rowsOf(9, 6), null]);
});
