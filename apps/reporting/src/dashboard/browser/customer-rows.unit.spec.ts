import type { AdminApi } from './admin-api';
import type { Customer, Customers } from './answers';
import { MOST_CUSTOMERS, nextCustomers, readCustomers, withPage } from './customer-rows';
import { sortOf, DEFAULT_SETTINGS } from './page-settings';

const loaded = (count: number, next_cursor: string | null, begin = 0) =>
  ({
    customers: Array.from({ length: count }, (_, index) => ({ wallet: `w${begin + index}` }) as Customer),
    next_cursor,
  }) as Customers;

it('reads as many again as are shown, page by page', async () => {
  const asked: object[] = [];
  const customers: AdminApi['customers'] = async (_, page) => {
    asked.push(page);
    const begin = Number(page.cursor ?? 0);
    return loaded(page.limit, String(begin + page.limit), begin);
  };
  const api = { customers } as AdminApi;
  const { signal } = new AbortController();
  expect((await readCustomers(api, DEFAULT_SETTINGS, undefined, signal)).customers).toHaveLength(10);
  const again = await readCustomers(api, DEFAULT_SETTINGS, loaded(435, 'x'), signal);
  expect(again.customers.map(({ wallet }) => wallet)).toEqual(loaded(435, null).customers.map(({ wallet }) => wallet));
  expect(asked).toEqual([{ limit: 10 }, { limit: 200 }, { limit: 200, cursor: '200' }, { limit: 35, cursor: '400' }]);
});

it('has a customer once who moved to the next page', () => {
  const { customers, next_cursor } = withPage(loaded(10, 'a'), loaded(10, 'b', 9));
  expect(customers.map(({ wallet }) => wallet)).toEqual(loaded(19, null).customers.map(({ wallet }) => wallet));
  expect(next_cursor).toBe('b');
});

it('goes on until there are no more, or enough', () => {
  expect(nextCustomers(loaded(10, 'a'))).toBe('a');
  expect(nextCustomers(loaded(10, null))).toBeUndefined();
  expect(nextCustomers(loaded(MOST_CUSTOMERS, 'a'))).toBeUndefined();
  expect(nextCustomers(undefined)).toBeUndefined();
});

it('ranks by an order that the API knows', () => {
  const compare = true;
  expect(sortOf({ sort: 'paid_calls', compare })).toBe('paid_calls');
  expect([true, false].map((is) => sortOf({ sort: 'window_fall', compare: is }))).toEqual([
    'window_fall',
    'lifetime_spend',
  ]);
  expect([sortOf({ sort: '', compare }), sortOf({ sort: 'size', compare })]).toEqual([
    'lifetime_spend',
    'lifetime_spend',
  ]);
});
