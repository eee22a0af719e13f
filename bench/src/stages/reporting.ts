import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_EXAMPLES, PAYMENTS_STREAM, PaymentSettled } from '@evenkeel/contracts';
import { SystemClock } from '@evenkeel/kernel';
import { seed } from '@evenkeel/ops/seed';
import { createTopics } from '@evenkeel/ops/events';
import { startKafka } from '@evenkeel/services';
import { Client } from 'pg';
import { Connection, expectStatus, quantile, requestBytes } from '../load/load';
import { Scene } from '../processes/scene';
import { type Figures, table } from '../report';
import { gatewaySettings } from '../sellers/open-sellers';

const TOKEN = 'the operator of the benchmark';
const ASKED_IN_A_ROUND = 20;
const EVENTS = 20_000;
const WALLETS = 1_000;
const WITHIN_MS = 120_000;

/** The times of an operator's questions over a year of so many payments. */
export async function benchReads(payments: number, rounds: number): Promise<Figures> {
  await using scene = new Scene();
  const env = { DATABASE_URL: await scene.database('reporting'), ADMIN_TOKEN: TOKEN, NODE_ENV: 'production' };
  await scene.command('apps/reporting/src/migrate.ts', env);
  const invented = {
    payments,
    subscriptions: Math.min(payments, 100_000),
    days: 365,
    seed: 1,
    replace: false,
    wallets: Math.max(10, Math.floor(payments / 50)),
    until: new SystemClock().now().toISOString().slice(0, 10),
  };
  await seed(env.DATABASE_URL, invented, () => undefined);
  const { url } = await scene.program('apps/reporting/src/main.ts', env);
  const connection = await Connection.open(url);
  scene.closeLater(() => connection.close());
  const ask = async (path: string): Promise<string> => {
    const request = requestBytes('GET', `/v1/admin/revenue/${path}`, { 'X-Admin-Token': TOKEN });
    const reply = await connection.send(request);
    expectStatus(200)(reply);
    return reply.body;
  };
  const times = new Map((await pathsOf(ask)).map((path) => [path, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const [path, own] of times) {
      for (let count = 0; count < ASKED_IN_A_ROUND; count++) {
        const startedMs = performance.now();
        await ask(path);
        // The first round warms up.
        if (round > 0) own.push(performance.now() - startedMs);
      }
    }
  }

  const reads = [...times].map(([path, own]) => ({ path, p50: quantile(own, 0.5), p99: quantile(own, 0.99) }));
  reads.sort((a, b) => b.p99 - a.p99);
  const slowest = reads.slice(0, 10);
  const lines = slowest.map(({ path, p50, p99 }) => [path.slice(0, 80), p50.toFixed(1), p99.toFixed(1)]);
  console.log(`\n${table([`slowest of ${reads.length} reads, ${payments} payments`, 'p50 ms', 'p99 ms'], lines)}`);
  const size = payments % 1_000_000 === 0 ? `${payments / 1_000_000} M` : payments.toLocaleString('en');
  return {
    [`reporting, slowest read at ${size} payments: p99 ms`]: slowest[0]!.p99,
    [`reporting, reads at ${size} payments: p50 ms`]: quantile([...times.values()].flat(), 0.5),
  };
}

/** Paths below `/v1/admin/revenue`: every read, over days, months and a range, with and without comparison. */
async function pathsOf(ask: (path: string) => Promise<string>): Promise<string[]> {
  const answer = async <Answer>(path: string): Promise<Answer> => JSON.parse(await ask(path)) as Answer;
  let cursor = '';
  type Payment = { id: string; transaction_hash: string | null; request_id: string };
  let page: { payments: Payment[]; next_cursor: string | null } = { payments: [], next_cursor: null };
  // Pages walked before a page far down is timed.
  for (let pages = 0; pages < 20; pages++) {
    page = await answer(`payments?limit=200${cursor && `&cursor=${cursor}`}`);
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
  const statuses = ['settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed'];
  const groups = ['unresolved', 'settled_without_hash', 'served_and_failed'];
  const sorts = ['window_spend', 'paid_calls', 'last_payment'];
  const sought = [id, nonce, hash, request_id, heavy, light, `0x${'0'.repeat(64)}`];
  const reads: Record<string, string[]> = {
    summary: figures,
    endpoints: figures,
    timeseries: [...figures, 'days=1&interval=hour', 'days=364&interval=month&compare=previous'],
    customers: ['', ...both, ...sorts.map((sort) => `days=364&sort=${sort}`)],
    credits: windows,
    cohorts: ['', 'months=24', range],
    subscriptions: both,
    payments: [
      '',
      'basis=settlement',
      'endpoint=/agent/v1/habits/plan',
      `day=${day(1)}`,
      range,
      ...statuses.map((status) => `status=${status}`),
      ...groups.map((group) => `group=${group}`),
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

/** Payments of new wallets, each a payment of its own, numbered as the ledger numbers them. */
const FILL = `
  INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
  SELECT uuidv7(), $1, wallet, n / $3 + 1, $4, payment, now(),
    $5::jsonb || jsonb_build_object('paymentId', payment, 'wallet', wallet, 'nonce', '0x' || lpad(to_hex(n), 64, '0'))
  FROM (
    SELECT n, gen_random_uuid() AS payment, '0x' || rpad(md5((n % $3)::text), 40, '0') AS wallet
    FROM generate_series(0, $2 - 1) AS n
  ) payments ORDER BY n`;

/**
 * The most frequent events of the gateway, through a real Kafka: first the worker of the gateway publishes all that is in its
 * outbox, then the worker of reporting applies what it finds. Each clock runs from the first batch to the last one.
 */
export async function benchEvents(): Promise<Figures> {
  await using scene = new Scene();
  const kafka = await startKafka();
  scene.closeLater(() => kafka.stop());
  await createTopics({ access: { brokers: [kafka.brokers] }, log: { warn: console.error, error: console.error } });
  const broker = { KAFKA_BROKERS: kafka.brokers };
  const gateway = { ...gatewaySettings(await scene.database('gateway'), 'http://127.0.0.1:1'), ...broker };
  const reporting = { DATABASE_URL: await scene.database('reporting'), ADMIN_TOKEN: TOKEN, ...broker };
  await scene.command('apps/agent-gateway/src/migrate.ts', gateway);
  await scene.command('apps/reporting/src/migrate.ts', reporting);

  const clientOf = ({ DATABASE_URL }: typeof gateway | typeof reporting) => new Client(DATABASE_URL);
  const [outbox, copy] = [clientOf(gateway), clientOf(reporting)];
  for (const client of [outbox, copy]) {
    await client.connect();
    scene.closeLater(() => client.end());
  }
  const { data } = EVENT_EXAMPLES.find(({ event }) => event === PaymentSettled)!;
  await outbox.query(FILL, [PAYMENTS_STREAM, EVENTS, WALLETS, PaymentSettled.type, JSON.stringify(data)]);
  await outbox.query('VACUUM ANALYZE outbox');

  const relay = await scene.program('apps/agent-gateway/src/worker.ts', gateway);
  const published = await rateOf(outbox, 'SELECT count(published_at)::integer AS count FROM outbox');
  await relay.program.stop();
  await scene.program('apps/reporting/src/worker.ts', reporting);
  const projected = await rateOf(copy, 'SELECT count(*)::integer AS count FROM payments');
  return { 'reporting, relay: events a second': published, 'reporting, projection: events a second': projected };
}

/** @returns events a second, from the first that are seen until all are there. @throws Error when that takes too long */
async function rateOf(client: Client, counting: string): Promise<number> {
  const deadline = performance.now() + WITHIN_MS;
  let [first, firstMs] = [0, 0];
  for (;;) {
    const { rows } = await client.query<{ count: number }>(counting);
    const [done, nowMs] = [rows[0]!.count, performance.now()];
    if (done === EVENTS) return ((done - first) * 1_000) / (nowMs - firstMs);
    if (first === 0 && done > 0) [first, firstMs] = [done, nowMs];
    if (nowMs > deadline) throw new Error(`${done} of ${EVENTS} events arrived within ${WITHIN_MS / 1_000} s`);
    await sleep(20);
  }
}
