import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { PAYMENTS_STREAM } from '@evenkeel/contracts';
import { Inbox, type EventBatchConsumer, type ReceivedMessage } from '@evenkeel/platform/messaging';
import { countApplied, type Projection } from '@evenkeel/platform/projection';
import { databaseOptions, LEDGER_PROJECTION, ProjectLedger } from '@evenkeel/reporting';
import { Client } from 'pg';
import { from, to } from 'pg-copy-streams';
import { DataSource } from 'typeorm';
import { ledgerEvents } from './ledger-events';
import { messagesOf } from './published-rows';

/** As a transport delivers them. */
const BATCH = 500;

export interface IngestTiming {
  /** Of all kinds, more than payments. */
  events: number;
  eventsPerSecond: number;
  /** COPY of the same payments into the same table with its indexes, rows a second: no inbox, no rollups. */
  copiedPerSecond: number;
  /** Ours over that of COPY. */
  ratio: number;
}

/**
 * The events of payments and their credits through the real consumer, inbox and rollups included, beside what PostgreSQL can
 * take at most.
 * @param seededUrl has the payments
 * @param urls two databases with empty tables
 * @param payments so many of the latest
 */
export async function timeIngest(seededUrl: string, urls: [string, string], payments: number): Promise<IngestTiming> {
  const seeded = new Client({ connectionString: seededUrl });
  await seeded.connect();
  await seeded.query(
    `CREATE TEMPORARY TABLE sample AS SELECT * FROM payments ORDER BY verified_at DESC, id LIMIT ${payments}`,
  );
  const messages = messagesOf(PAYMENTS_STREAM, '/agent-gateway', await ledgerEvents(seeded));
  const rows = await buffer(seeded.query(to('COPY sample TO STDOUT')));
  await seeded.end();
  const projection = { ...LEDGER_PROJECTION, consumer: new ProjectLedger() };
  const eventsPerSecond = await ingest(urls[0], projection, messages);
  const copiedPerSecond = await copy(urls[1], rows, payments);
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
