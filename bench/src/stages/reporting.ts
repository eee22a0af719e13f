import { SystemClock } from '@evenkeel/kernel';
import { seed } from '@evenkeel/ops/seed';
import { type Figures, table } from '../figures';
import { Connection, requestBytes } from '../load/connection';
import { expectStatus, quantile } from '../load/run-load';
import { Scene } from '../processes/scene';

const TOKEN = 'the operator of the benchmark';
/** Those that have a goal, as it names them. */
const SIZES = new Map([
  [1_000_000, '1 M'],
  [10_000_000, '10 M'],
]);
const DAYS = 365;
const PAYMENTS_PER_WALLET = 50;
/** People who have or had a subscription. */
const SUBSCRIPTIONS = 100_000;
const ASKED_IN_A_ROUND = 20;
/** Pages walked before a page far down is timed. */
const PAGES_DOWN = 20;
const SLOWEST_SHOWN = 10;

interface PaymentsPage {
  payments: { id: string; transaction_hash: string | null; request_id: string }[];
  next_cursor: string | null;
}

/** The times of an operator's questions over a year of so many payments. */
export async function benchReads(payments: number, rounds: number): Promise<Figures> {
  await using scene = new Scene();
  const env = { ...reportingSettings(await scene.database('reporting')), NODE_ENV: 'production' };
  await scene.command('apps/reporting/src/migrate.ts', env);
  await seed(
    env.DATABASE_URL,
    {
      payments,
      subscriptions: Math.min(payments, SUBSCRIPTIONS),
      days: DAYS,
      seed: 1,
      replace: false,
      wallets: Math.max(10, Math.floor(payments / PAYMENTS_PER_WALLET)),
      until: new SystemClock().now().toISOString().slice(0, 10),
    },
    () => undefined,
  );
  const { url } = await scene.program('apps/reporting/src/main.ts', env);
  const connection = await Connection.open(url);
  scene.closeLater(() => connection.close());
  const ask = async (path: string): Promise<{ body: string; ms: number }> => {
    const startedMs = performance.now();
    const request = requestBytes('GET', `/v1/admin/revenue/${path}`, { 'X-Admin-Token': TOKEN });
    const reply = await connection.send(request);
    const ms = performance.now() - startedMs;
    expectStatus(200)(reply);
    return { body: reply.body, ms };
  };
  const times = new Map((await pathsOf(async (path) => (await ask(path)).body)).map((path) => [path, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const [path, own] of times) {
      for (let count = 0; count < ASKED_IN_A_ROUND; count++) {
        const { ms } = await ask(path);
        // The first round warms up.
        if (round > 0) own.push(ms);
      }
    }
  }

  const reads = [...times].map(([path, own]) => ({ path, p50: quantile(own, 0.5), p99: quantile(own, 0.99) }));
  reads.sort((a, b) => b.p99 - a.p99);
  const slowest = reads.slice(0, SLOWEST_SHOWN);
  const lines = slowest.map(({ path, p50, p99 }) => [path.slice(0, 80), p50.toFixed(1), p99.toFixed(1)]);
  console.log(`\n${table([`slowest of ${reads.length} reads, ${payments} payments`, 'p50 ms', 'p99 ms'], lines)}`);
  const size = SIZES.get(payments) ?? payments.toLocaleString('en');
  return {
    [`reporting, slowest read at ${size} payments: p99 ms`]: slowest[0]!.p99,
    [`reporting, reads at ${size} payments: p50 ms`]: quantile([...times.values()].flat(), 0.5),
  };
}

/** The environment of reporting. */
export function reportingSettings(databaseUrl: string) {
  return { DATABASE_URL: databaseUrl, ADMIN_TOKEN: TOKEN };
}

const STATUSES = ['settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed'];
const SORTS = ['window_spend', 'paid_calls', 'last_payment'];
const GROUPS = ['unresolved', 'settled_without_hash', 'served_and_failed'];

/** Paths below `/v1/admin/revenue`: every read, over days, months and a range, with and without comparison. */
async function pathsOf(ask: (path: string) => Promise<string>): Promise<string[]> {
  const answer = async <Answer>(path: string): Promise<Answer> => JSON.parse(await ask(path)) as Answer;
  let cursor = '';
  let page!: PaymentsPage;
  for (let pages = 0; pages < PAGES_DOWN; pages++) {
    page = await answer<PaymentsPage>(`payments?limit=200${cursor && `&cursor=${cursor}`}`);
    cursor = page.next_cursor ?? cursor;
  }
  const { id, transaction_hash: hash, request_id } = page.payments.find((one) => one.transaction_hash !== null)!;
  const { nonce } = await answer<{ nonce: string }>(`payments/${id}`);
  const { customers } = await answer<{ customers: { wallet: string }[] }>('customers?limit=200');
  const [heavy, light] = [customers[0]!.wallet, customers.at(-1)!.wallet];

  const now = new SystemClock().now();
  const day = (days: number): string => new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 5, 1)).toISOString().slice(0, 7);
  const range = `from=${day(300)}&to=${day(200)}`;
  const windows = ['days=1', 'days=28', 'days=364', `month=${month}`, range];
  const both = windows.flatMap((window) => [window, `${window}&compare=previous`]);
  const figures = [...both, 'days=364&compare=previous&basis=settlement'];
  const sought = [id, nonce, hash, request_id, heavy, light, `0x${'0'.repeat(64)}`];
  const reads: Record<string, string[]> = {
    summary: figures,
    endpoints: figures,
    timeseries: [...figures, 'days=1&interval=hour', 'days=364&interval=month&compare=previous'],
    customers: ['', ...both, ...SORTS.map((sort) => `days=364&sort=${sort}`)],
    credits: windows,
    cohorts: ['', 'months=24', range],
    subscriptions: both,
    payments: [
      '',
      'basis=settlement',
      'endpoint=/agent/v1/habits/plan',
      `day=${day(1)}`,
      range,
      ...STATUSES.map((status) => `status=${status}`),
      ...GROUPS.map((group) => `group=${group}`),
      `limit=25&cursor=${cursor}`,
      `wallet=${heavy}`,
      `wallet=${heavy}&day=${day(1)}`,
      ...sought.map((text) => `q=${text}`),
    ],
    [`payments/${id}`]: [''],
    reconciliation: [''],
    changes: [''],
  };
  return Object.entries(reads).flatMap(([read, queries]) =>
    queries.map((query) => (query === '' ? read : `${read}?${query}`)),
  );
}
