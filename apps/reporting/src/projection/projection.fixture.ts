import { randomUUID } from 'node:crypto';
import { audit } from '@evenkeel/ops/audit';
import { runRebuild } from '@evenkeel/ops/events';
import type { EventEnvelope } from '@evenkeel/platform/messaging';
import { createTestDatabase, eventually, type TestDatabase } from '@evenkeel/platform/testing';
import type { DataSource } from 'typeorm';
import { ENTITIES, MIGRATIONS } from '../database';
import { outcomeOf, type History, type PublishedEvent } from './history.fixture';

/** No zone is further from UTC: more than half of each day is another day there. */
export async function reportingDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ name: 'reporting', entities: ENTITIES, migrations: MIGRATIONS });
  const name = new URL(database.url).pathname.slice(1);
  await database.dataSource.query(`ALTER DATABASE "${name}" SET timezone TO 'Pacific/Kiritimati'`);
  // For the connections that are opened from now on.
  await database.dataSource.destroy();
  await database.dataSource.initialize();
  return database;
}

/** Waits until every payment of a history is there once, in its final state, with the sums that its rows make. */
export async function expectPayments(dataSource: DataSource, { payments }: History): Promise<void> {
  const expected = payments.map((payment) => [payment.id, outcomeOf(payment), String(payment.amountMicros)]);
  await eventually(
    async () => {
      const rows = await dataSource.query<Record<string, string>[]>('SELECT id, status, amount_micros FROM payments');
      expect(rows.map((row) => Object.values(row)).sort()).toEqual(expected.sort());
    },
    { withinMs: 30_000 },
  );
  expect(await audit(dataSource)).toEqual([]);
}

type Programs = Parameters<typeof runRebuild>[0];

/** As `npm run events:rebuild` does: the exit code, and the text that it prints. */
export async function rebuilt({ url }: TestDatabase, programs: Programs, ...args: string[]) {
  let [out, err] = ['', ''];
  const streams = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await runRebuild(programs, args, { DATABASE_URL: url }, streams);
  return { code, out, err };
}

/** An event as the inbox hands it over. */
export function envelopeOf({ event, key, data }: PublishedEvent, sequence = 1): EventEnvelope<unknown> {
  const place = { subject: key, key, sequence, time: new Date('2026-02-01T00:00:00.000Z') };
  return { id: randomUUID(), type: event.type, source: '/agent-gateway', ...place, data };
}
