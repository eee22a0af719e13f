import { randomUUID } from 'node:crypto';
import type { EventEnvelope } from '@evenkeel/platform/messaging';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { ENTITIES, MIGRATIONS } from '../database';
import type { PublishedEvent } from './history.fixture';

export function reportingDatabase(): Promise<TestDatabase> {
  return createTestDatabase({ name: 'reporting', entities: ENTITIES, migrations: MIGRATIONS });
}

/** An event as the inbox hands it over. */
export function envelopeOf({ type, key, data }: PublishedEvent, sequence = 1): EventEnvelope<unknown> {
  const place = { subject: key, key, sequence, time: new Date('2026-02-01T00:00:00.000Z') };
  return { id: randomUUID(), type, source: '/agent-gateway', ...place, data };
}
