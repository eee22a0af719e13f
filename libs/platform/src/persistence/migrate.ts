import { Client } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { clientOptions, type PostgresDataSource } from './data-source';
import { appliedMigrations, migrationNames, refuseForeignDatabase } from './wait-for-schema';

/** Any constant: one migrating process per database. */
const MIGRATION_LOCK = 7_360_184_736;
/** Nobody waits for an answer yet, and the process may be busy with the start of other things. */
const CONNECT_MS = 60_000;
const LOCK_WAIT_MS = 120_000;
const MIGRATION_STATEMENT_MS = 300_000;

/**
 * Brings the schema up to the migrations of the options. Processes that start together take turns under an advisory
 * lock; those that come later find nothing to do. A migration waits at most two seconds for a table that is in use.
 * @returns names of the migrations that ran now
 * @throws ForeignDatabase before anything is changed
 */
export async function migrate(options: DataSourceOptions): Promise<string[]> {
  const patient = { connectionTimeoutMillis: CONNECT_MS, statement_timeout: LOCK_WAIT_MS, query_timeout: LOCK_WAIT_MS };
  const lock = new Client({ ...clientOptions(options), ...patient });
  // A lock that is lost with its connection shows as a failing unlock, not as an unhandled event.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await appliedMigrations(lock);
    refuseForeignDatabase(options, applied);
    if (migrationNames(options).every((name) => applied.has(name))) return [];
    return await runMigrations(options as PostgresDataSource);
  } finally {
    await lock.end();
  }
}

async function runMigrations(options: PostgresDataSource): Promise<string[]> {
  const patient = {
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: MIGRATION_STATEMENT_MS,
    query_timeout: MIGRATION_STATEMENT_MS,
    // A slow processor or disk pauses between two statements of a migration.
    idle_in_transaction_session_timeout: MIGRATION_STATEMENT_MS,
  };
  const source = new DataSource({ ...options, extra: { ...(options.extra as object), max: 1, ...patient } });
  await source.initialize();
  try {
    const done = await source.runMigrations({ transaction: 'each' });
    return done.map(({ name }) => name);
  } finally {
    await source.destroy();
  }
}
