import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { clientOptions } from './data-source';

const POLL_MS = 250;
const UNDEFINED_TABLE = '42P01';

/**
 * Resolves once the database has every migration of the options; until then it looks again, also while the database
 * does not exist yet.
 * @throws Error after `withinMs`, saying what is missing; ForeignDatabase at once
 */
export async function waitForSchema(options: DataSourceOptions, { withinMs = 60_000 } = {}): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const missing = await missingMigrations(options).catch((error: Error) => error);
    if (missing instanceof ForeignDatabase) throw missing;
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
    refuseForeignDatabase(options, applied);
    return migrationNames(options).filter((name) => !applied.has(name));
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The database that a service was given has the tables of another one. */
export class ForeignDatabase extends Error {}

/** @throws ForeignDatabase where something was migrated, but not the first migration of the options */
export function refuseForeignDatabase(options: DataSourceOptions, applied: ReadonlySet<string>): void {
  const service = foreignMigration(migrationNames(options), applied);
  if (service === undefined) return;
  throw new ForeignDatabase(
    `The database in DATABASE_URL belongs to another service: it has ${service}. Name a database of its own for each service.`,
  );
}

/**
 * @param known names of the migrations of a service
 * @param applied those that a database has
 * @returns one that another service has made there; undefined where the database is empty, or of this service
 */
export function foreignMigration(known: readonly string[], applied: ReadonlySet<string>): string | undefined {
  // Services may have migrations of the same name; the first one of each is its own, and no release takes it back.
  const [first] = [...known].sort((one, other) => timeOf(one) - timeOf(other));
  if (first === undefined || applied.has(first)) return undefined;
  return [...applied].find((name) => !known.includes(name));
}

function timeOf(migration: string): number {
  return Number(migration.slice(-13));
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
