export { clientOptions, exposePools, likeThePool, openDataSource, openPool, poolOf, poolsOf } from './data-source';
export { migrate } from './migrate';
export { createOperatorActions, dropOperatorActions, OperatorActions, type OperatorAction } from './operator-actions';
export { assertOwnSession, SharedSession } from './own-session';
export { LOOK_UP_BY_KEYS, postgresOptions, SHORT_STATEMENT_MS, type PostgresOptions } from './postgres-options';
export { queryPrepared } from './prepared-statement';
export { retrySerialization } from './retry-serialization';
export { appliedMigrations, ForeignDatabase, foreignMigration, migrationNames, waitForSchema } from './wait-for-schema';
