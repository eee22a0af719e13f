/** Known values of the database, for reads that look for something. */
interface ReadFacts {
  now: Date;
  /** Of a page far down. */
  cursor: string;
  payment: { id: string; nonce: string; transactionHash: string; requestId: string };
  /** The one that pays most, and one of those that pay little. */
  wallets: [heavy: string, light: string];
}

const STATUSES = ['settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed'];
const SORTS = ['window_spend', 'paid_calls', 'last_payment'];
const GROUPS = ['unresolved', 'settled_without_hash', 'served_and_failed'];

/** Paths below `/v1/admin/revenue`: every read, over days, months and a range, with and without comparison. */
export function readsOf({ now, cursor, payment, wallets: [heavy, light] }: ReadFacts): string[] {
  const day = (days: number): string => new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 5, 1)).toISOString().slice(0, 7);
  const range = `from=${day(300)}&to=${day(200)}`;
  const windows = ['days=1', 'days=28', 'days=364', `month=${month}`, range];
  const both = windows.flatMap((window) => [window, `${window}&compare=previous`]);
  const figures = [...both, 'days=364&compare=previous&basis=settlement'];
  const sought = [...Object.values(payment), heavy, light, `0x${'0'.repeat(64)}`];
  const reads: Record<string, string[]> = {
    summary: figures,
    endpoints: figures,
    timeseries: [...figures, 'days=1&interval=hour', 'days=364&interval=month&compare=previous'],
    customers: ['', ...both, ...SORTS.map((sort) => `days=364&sort=${sort}`)],
    credits: windows,
    cohorts: ['', 'months=24', range],
    subscriptions: both,
    payments: [
      ...['', 'basis=settlement', 'endpoint=/agent/v1/habits/plan', `day=${day(1)}`, range],
      ...STATUSES.map((status) => `status=${status}`),
      ...GROUPS.map((group) => `group=${group}`),
      ...[`limit=25&cursor=${cursor}`, `wallet=${heavy}`, `wallet=${heavy}&day=${day(1)}`],
      ...sought.map((text) => `q=${text}`),
    ],
    [`payments/${payment.id}`]: [''],
    reconciliation: [''],
    changes: [''],
  };
  return Object.entries(reads).flatMap(([read, queries]) =>
    queries.map((query) => (query === '' ? read : `${read}?${query}`)),
  );
}
