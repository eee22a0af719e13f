export { CannotStartPostgres } from './cannot-start-postgres';
export { ensureDatabase } from './ensure-database';
export { freePort } from './free-port';
export { startPostgres, startTemporaryPostgres, type PostgresOptions, type RunningPostgres } from './start-postgres';
