import type { AdminApi } from './admin-api';
import type { Customers } from './answers';
import type { PageSettings } from './page-settings';

const FIRST_ROWS = 10;
export const MORE_ROWS = 25;
/** So many are read again when something has changed; more would be too many to look through. */
export const MOST_CUSTOMERS = 500;
/** The limit of the API. */
const PAGE_ROWS = 200;

/** As many as are shown already, so that a refresh hides none. */
export async function readCustomers(
  api: AdminApi,
  view: PageSettings,
  before: Customers | undefined,
  signal: AbortSignal,
): Promise<Customers> {
  const wanted = Math.max(FIRST_ROWS, before?.customers.length ?? 0);
  let loaded = await api.customers(view, { limit: Math.min(wanted, PAGE_ROWS) }, signal);
  while (loaded.customers.length < wanted && loaded.next_cursor !== null) {
    const limit = Math.min(wanted - loaded.customers.length, PAGE_ROWS);
    loaded = withPage(loaded, await api.customers(view, { limit, cursor: loaded.next_cursor }, signal));
  }
  return loaded;
}

/** Where the next rows begin; nothing at the end, and where there are enough. */
export function nextCustomers(loaded: Customers | undefined): string | undefined {
  if (!loaded || loaded.customers.length >= MOST_CUSTOMERS) return undefined;
  return loaded.next_cursor ?? undefined;
}

/** One that has moved from a page to the next is there once. */
export function withPage(loaded: Customers, page: Customers): Customers {
  const known = new Set(loaded.customers.map(({ wallet }) => wallet));
  const more = page.customers.filter(({ wallet }) => !known.has(wallet));
  return { ...loaded, customers: [...loaded.customers, ...more], next_cursor: page.next_cursor };
}
