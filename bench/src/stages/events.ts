import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_EXAMPLES, PAYMENTS_STREAM, PaymentSettled } from '@evenkeel/contracts';
import { createTopics } from '@evenkeel/platform/messaging';
import { startKafka } from '@evenkeel/services';
import { Client } from 'pg';
import type { Figures } from '../figures';
import { Scene } from '../processes/scene';
import { gatewaySettings } from '../sellers/open-sellers';
import { reportingSettings } from './reporting';

const EVENTS = 20_000;
const WALLETS = 1_000;
const POLL_MS = 20;
const WITHIN_MS = 120_000;

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
 * The most frequent events of the gateway, through a real Kafka: first the worker of the gateway publishes all that is in its outbox, then
 * the worker of reporting applies what it finds. Each clock runs from the first batch to the last one.
 */
export async function benchEvents(): Promise<Figures> {
  await using scene = new Scene();
  const kafka = await startKafka();
  scene.closeLater(() => kafka.stop());
  await createTopics({ access: { brokers: [kafka.brokers] }, log: { warn: console.error, error: console.error } });
  const broker = { KAFKA_BROKERS: kafka.brokers };
  const [ledgerUrl, copyUrl] = [await scene.database('gateway'), await scene.database('reporting')];
  const gateway = { ...gatewaySettings(ledgerUrl, 'http://127.0.0.1:1'), ...broker };
  const reporting = { ...reportingSettings(copyUrl), ...broker };
  await scene.command('apps/agent-gateway/src/migrate.ts', gateway);
  await scene.command('apps/reporting/src/migrate.ts', reporting);

  const outbox = await opened(scene, ledgerUrl);
  const { data } = EVENT_EXAMPLES.find(({ event }) => event === PaymentSettled)!;
  await outbox.query(FILL, [PAYMENTS_STREAM, EVENTS, WALLETS, PaymentSettled.type, JSON.stringify(data)]);
  await outbox.query('VACUUM ANALYZE outbox');
  const copy = await opened(scene, copyUrl);

  const relay = await scene.program('apps/agent-gateway/src/worker.ts', gateway);
  const published = await rateOf(() => countOf(outbox, 'SELECT count(published_at) AS count FROM outbox'));
  await relay.program.stop();
  await scene.program('apps/reporting/src/worker.ts', reporting);
  const projected = await rateOf(() => countOf(copy, 'SELECT count(*) AS count FROM payments'));
  return {
    'reporting, relay: events a second': published,
    'reporting, projection: events a second': projected,
  };
}

async function opened(scene: Scene, connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  scene.closeLater(() => client.end());
  return client;
}

async function countOf(client: Client, text: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(text);
  return Number(rows[0]!.count);
}

/** @returns events a second, from the first that are seen until all are there. @throws Error when that takes too long */
async function rateOf(count: () => Promise<number>): Promise<number> {
  const deadline = performance.now() + WITHIN_MS;
  let [first, firstMs] = [0, 0];
  for (;;) {
    const [done, nowMs] = [await count(), performance.now()];
    if (done === EVENTS) return ((done - first) * 1_000) / (nowMs - firstMs);
    if (first === 0 && done > 0) [first, firstMs] = [done, nowMs];
    if (nowMs > deadline) throw new Error(`${done} of ${EVENTS} events arrived within ${WITHIN_MS / 1_000} s`);
    await sleep(POLL_MS);
  }
}
