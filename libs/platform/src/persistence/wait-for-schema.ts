import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { clientOptions } from './data-source';

const POLL_MS = 250;
const UNDEFINED_TABLE = '42P01';

/**
 * Resolves once the database has every migration of the options; until then it looks again, also while the database
 * does not exist yet.
 * @throws Error after `withinMs`, saying what is missing
 */
export async function waitForSchema(options: DataSourceOptions, { withinMs = 60_000 } = {}): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const missing = await missingMigrations(options).catch((error: Error) => error);
    if (Array.isArray(missing) && missing.length === 0) return;
    if (performance.now() >= deadline) throw refusal(missing, withinMs);
    await sleep(POLL_MS);
  }
}

function refusal(missing: string[] | Error, withinMs: number): Error {
  const seconds = Math.round(withinMs / 1_000);
  if (!Array.isArray(missing)) {
    return new Error(`The database could not be reached within ${seconds} s.`, { cause: missing });
  }
  return new Error(`The database lacks migrations after ${seconds} s: ${missing.join(', ')}. Run the migrate command.`);
}

async function missingMigrations(options: DataSourceOptions): Promise<string[]> {
  const client = new Client({ ...clientOptions(options), query_timeout: 4_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const applied = await appliedMigrations(client);
    return migrationNames(options).filter((name) => !applied.has(name));
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Names of the migrations that a database has; none where nothing was ever migrated. */
export async function appliedMigrations(client: Client): Promise<Set<string>> {
  try {
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations');
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return new Set();
    throw error;
  }
}

/** Names of the migrations of the options. */
export function migrationNames({ migrations }: DataSourceOptions): string[] {
  return (migrations as (new () => object)[]).map(({ name }) => name);
}
