/** What is in a database, for reads that look for something. */
export interface KnownPayment {
  id: string;
  nonce: string;
  transactionHash: string;
  requestId: string;
}

export interface ReadFacts {
  now: Date;
  /** Of a page far down. */
  cursor: string;
  payment: KnownPayment;
  /** The one that pays most, and one of those that pay little. */
  wallets: [heavy: string, light: string];
}

const DAYS = [1, 7, 28, 91, 182, 364];
const ENDPOINT = '/agent/v1/habits/plan';
const STATUSES = ['settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed'];
const GROUPS = ['unresolved', 'settled_without_hash', 'served_and_failed'];

/** Paths below `/v1/admin/revenue`, by their names: every read, over days and months, with and without comparison. */
export function readsOf({ now, cursor, payment, wallets }: ReadFacts): Map<string, string> {
  const range = `from=${dayBefore(now, 300)}&to=${dayBefore(now, 200)}`;
  const windows = [
    ...DAYS.map((days) => `days=${days}`),
    ...[0, 1, 5].map((months) => `month=${monthBefore(now, months)}`),
    range,
  ];
  const both = windows.flatMap((window) => [window, `${window}&compare=previous`]);
  const figures = [...both, ...windows.map((window) => `${window}&compare=previous&basis=settlement`)];
  const intervals = [
    ...['days=1&interval=hour', 'days=8&interval=hour'],
    ...['days=182', 'days=364'].flatMap((window) => [`${window}&interval=week`, `${window}&interval=month`]),
  ];
  const [heavy, light] = wallets;
  const yesterday = `day=${dayBefore(now, 1)}`;
  const sought = { ...payment, heavyWallet: heavy, lightWallet: light, nothing: `0x${'0'.repeat(64)}` };
  return new Map([
    ...asked('summary', figures),
    ...asked('endpoints', figures),
    ...asked('timeseries', [...figures, ...intervals, ...intervals.map((query) => `${query}&compare=previous`)]),
    ...asked('customers', ['', ...both, ...windows.flatMap(sortedCustomers)]),
    ...asked('credits', windows),
    ...asked('cohorts', ['', 'months=1', 'months=24', `month=${monthBefore(now, 5)}`, range]),
    ...asked('subscriptions', both),
    ...asked('payments', [
      ...['', `endpoint=${ENDPOINT}`, `endpoint=${ENDPOINT}&status=settlement_failed`, 'basis=settlement'],
      ...STATUSES.map((status) => `status=${status}`),
      ...GROUPS.map((group) => `group=${group}`),
      ...[`day=${dayBefore(now, 0)}`, yesterday, `day=${dayBefore(now, 200)}`, range],
    ]),
    ['payments, far down', `payments?limit=25&cursor=${cursor}`],
    ['payments, wallet that pays most', `payments?wallet=${heavy}`],
    ['payments, wallet that pays most, one day', `payments?wallet=${heavy}&${yesterday}`],
    ['payments, wallet that pays little', `payments?wallet=${light}`],
    ...Object.entries(sought).map(([name, text]) => [`payments, q: ${name}`, `payments?q=${text}`] as const),
    ['payments/{id}', `payments/${payment.id}`],
    ...asked('reconciliation', ['']),
    ...asked('changes', ['']),
  ]);
}

/** As the page asks for them; lifetime spend is the order without `sort`. */
function sortedCustomers(window: string): string[] {
  return ['window_spend', 'paid_calls', 'last_payment'].map((sort) => `${window}&compare=previous&sort=${sort}`);
}

function asked(read: string, queries: readonly string[]): [name: string, path: string][] {
  return queries.map((query) => (query === '' ? [read, read] : [`${read}, ${query}`, `${read}?${query}`]));
}

function dayBefore(now: Date, days: number): string {
  return new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);
}

/** As `YYYY-MM`. */
function monthBefore(now: Date, months: number): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 7);
}
