import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import {
  CLOUD_EVENTS_VERSION,
  EVENT_CONTENT_TYPE,
  EVENT_HEADERS,
  PAYMENTS_STREAM,
  PaymentSettled,
} from '@evenkeel/contracts';
import { Inbox, type EventBatchConsumer, type ReceivedMessage } from '@evenkeel/platform/messaging';
import { countApplied, type Projection } from '@evenkeel/platform/projection';
import { databaseOptions, LEDGER_PROJECTION, ProjectLedger } from '@evenkeel/reporting';
import { Client, type ClientBase } from 'pg';
import { from, to } from 'pg-copy-streams';
import { DataSource } from 'typeorm';

const H = EVENT_HEADERS;

const SETTLED = `
  SELECT jsonb_build_object('paymentId', id, 'wallet', wallet, 'endpoint', endpoint, 'amountMicros', amount_micros,
    'chainId', chain_id, 'asset', asset, 'transactionHash', transaction_hash, 'verifiedAt', ${iso('verified_at')},
    'settledAt', ${iso('settled_at')}, 'tier', tier, 'rebateMicros', rebate_micros,
    'attributedCostMicros', attributed_cost_micros, 'requestId', request_id)::text AS data,
    id, '${PaymentSettled.type}' AS type, wallet AS key, ${iso('settled_at')} AS at
  FROM sample ORDER BY verified_at, id`;

/** As a transport delivers them. */
const BATCH = 500;

export interface IngestTiming {
  events: number;
  eventsPerSecond: number;
  /** COPY of the same payments into the same table with its indexes: no inbox, no rollups. */
  copiedPerSecond: number;
  /** Ours over that of COPY. */
  ratio: number;
}

/**
 * Payments through the real consumer, inbox and rollups included, beside what PostgreSQL can take at most.
 * @param seededUrl has the payments
 * @param urls two databases with empty tables
 */
export async function timeIngest(seededUrl: string, urls: [string, string], events: number): Promise<IngestTiming> {
  const seeded = new Client({ connectionString: seededUrl });
  await seeded.connect();
  await seeded.query(
    `CREATE TEMPORARY TABLE sample AS SELECT * FROM payments WHERE status = 'settled' ORDER BY verified_at DESC, id LIMIT ${events}`,
  );
  const messages = await ledgerMessages(seeded);
  const rows = await buffer(seeded.query(to('COPY sample TO STDOUT')));
  await seeded.end();
  const projection = { ...LEDGER_PROJECTION, consumer: new ProjectLedger() };
  const eventsPerSecond = await ingest(urls[0], projection, messages);
  const copiedPerSecond = await copy(urls[1], rows, messages.length);
  return { events: messages.length, eventsPerSecond, copiedPerSecond, ratio: eventsPerSecond / copiedPerSecond };
}

/** @returns events a second through the inbox and the consumer of a projection, its rollups included */
export async function ingest(
  url: string,
  { subscription, consumer }: Pick<Projection, 'subscription'> & { consumer: EventBatchConsumer },
  messages: readonly ReceivedMessage[],
): Promise<number> {
  const dataSource = new DataSource(databaseOptions({ DATABASE_URL: url }));
  await dataSource.initialize();
  const inbox = new Inbox({
    ...{ dataSource, name: subscription, consumers: [consumer] },
    begin: countApplied({ subscription }),
  });
  const startedMs = performance.now();
  for (let begin = 0; begin < messages.length; begin += BATCH) {
    await inbox.accept(messages.slice(begin, begin + BATCH));
  }
  const perSecond = perSecondSince(startedMs, messages.length);
  await dataSource.destroy();
  return perSecond;
}

async function copy(url: string, rows: Buffer, count: number): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`SELECT add_payments_month(month) FROM generate_series(
    date_trunc('month', now() AT TIME ZONE 'UTC') - interval '12 months', now() AT TIME ZONE 'UTC', interval '1 month') AS month`);
  const startedMs = performance.now();
  await pipeline(Readable.from([rows]), client.query(from('COPY payments FROM STDIN')));
  const perSecond = perSecondSince(startedMs, count);
  await client.end();
  return perSecond;
}

function perSecondSince(startedMs: number, count: number): number {
  return (count * 1_000) / (performance.now() - startedMs);
}

export function iso(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** The settled payments of the table `sample` as the gateway published them. */
async function ledgerMessages(client: ClientBase): Promise<ReceivedMessage[]> {
  const { rows } = await client.query<PublishedRow>(SETTLED);
  return messagesOf(PAYMENTS_STREAM, '/agent-gateway', rows);
}

/** An event in the order in which it was published; `data` is JSON. */
export interface PublishedRow {
  id: string;
  type: string;
  key: string;
  at: string;
  data: string;
}

/** Events as a transport delivers them. */
export function messagesOf(topic: string, source: string, rows: readonly PublishedRow[]): ReceivedMessage[] {
  const sequences = new Map<string, number>();
  return rows.map(({ data, id, type, key, at }, index) => {
    const sequence = (sequences.get(key) ?? 0) + 1;
    sequences.set(key, sequence);
    const headers = {
      [H.contentType]: EVENT_CONTENT_TYPE,
      [H.specVersion]: CLOUD_EVENTS_VERSION,
      [H.id]: id,
      [H.type]: type,
      [H.source]: source,
      [H.subject]: key,
      [H.time]: at,
      [H.partitionKey]: key,
      [H.sequence]: String(sequence),
    };
    return { topic, partition: 0, offset: String(index), key, headers, value: data };
  });
}
