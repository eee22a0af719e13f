import { pipeline } from 'node:stream/promises';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { Inbox, type ReceivedMessage } from '@evenkeel/platform/messaging';
import { databaseOptions, ProjectLedger, SUBSCRIPTION } from '@evenkeel/reporting';
import { Client } from 'pg';
import { from, to } from 'pg-copy-streams';
import { DataSource } from 'typeorm';
import { ledgerMessages } from './ledger-messages';

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
  const eventsPerSecond = await ingest(urls[0], messages);
  const copiedPerSecond = await copy(urls[1], rows, messages.length);
  return { events: messages.length, eventsPerSecond, copiedPerSecond, ratio: eventsPerSecond / copiedPerSecond };
}

async function ingest(url: string, messages: readonly ReceivedMessage[]): Promise<number> {
  const dataSource = new DataSource(databaseOptions({ DATABASE_URL: url }));
  await dataSource.initialize();
  const inbox = new Inbox({ dataSource, name: SUBSCRIPTION, consumers: [new ProjectLedger()] });
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
