import type { DataSourceOptions, MixedList } from 'typeorm';
import { ClosingClient } from './closing-client';

type Class = new (...args: never[]) => object;

export interface PostgresOptions {
  url: string;
  entities: readonly Class[];
  /** Class names end in the 13-digit time, in any order here. */
  migrations: readonly Class[];
  /** Connections of this process. Default 10. */
  poolMax?: number;
  /** Plan a statement once, and by its indexes: for connections that always run the same few statements by their keys. */
  keepPlans?: boolean;
  /** How long a statement may take; for a database that hangs the process waits half a second longer. Default 3,000 ms, and one second. */
  statementMs?: number;
  /** Shown in `pg_stat_activity`. */
  applicationName?: string;
}

/** Every wait has an end, shorter than that of the request it serves. */
export const TIMEOUTS = {
  connectionTimeoutMillis: 2_000,
  statement_timeout: 3_000,
  query_timeout: 4_000,
  idle_in_transaction_session_timeout: 5_000,
  lock_timeout: 2_000,
} as const;

/** To open a connection takes several answers of the database: one that was needed is kept for the next busy moment. */
const IDLE_MS = 300_000;

/** Where callers wait: with it they are answered within three seconds, also while the database hangs. Long work goes in slices. */
export const SHORT_STATEMENT_MS = 2_200;

/** The database ends a statement first: then its connection is as good as before. */
const HANG_MS = 500;

/** For a pool whose statements may take this long. */
export function statementLimits(statementMs: number) {
  return { statement_timeout: statementMs, query_timeout: statementMs + HANG_MS };
}

/** Whatever the settings of database, role and machine are: what was committed survives, and days are those of UTC. */
const SAME_EVERYWHERE = '-c synchronous_commit=on -c TimeZone=UTC';
/**
 * A plan that is made for an empty table, and reused, would always read the whole table, or its whole index to merge it with
 * what is looked for: those are the cheapest plans then. Without these, look-ups by key are left.
 */
const PLANS_THAT_READ_ALL = ['enable_seqscan', 'enable_mergejoin', 'enable_hashjoin'];
const KEPT_PLANS = ['plan_cache_mode=force_generic_plan', ...PLANS_THAT_READ_ALL.map((name) => `${name}=off`)]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** Begins a transaction whose prepared statements find rows by their keys, where the other statements of a pool need not. */
export const LOOK_UP_BY_KEYS = PLANS_THAT_READ_ALL.map((name) => `SET LOCAL ${name} = off`).join('; ');

/**
 * Options for a TypeORM data source over a bounded pool. Never synchronises, never migrates by itself: see `migrate`.
 */
export function postgresOptions(options: PostgresOptions): DataSourceOptions {
  const { statementMs } = options;
  return {
    type: 'postgres',
    url: options.url,
    entities: [...options.entities] as MixedList<Class>,
    migrations: [...options.migrations] as MixedList<Class>,
    synchronize: false,
    migrationsRun: false,
    // Silent: whatever goes wrong is thrown, and statements may hold what no log should.
    logging: false,
    logger: 'debug',
    applicationName: options.applicationName,
    poolErrorHandler: ignoreLoss,
    extra: {
      Client: ClosingClient,
      max: options.poolMax ?? 10,
      idleTimeoutMillis: IDLE_MS,
      keepAlive: true,
      ...TIMEOUTS,
      ...(statementMs !== undefined && statementLimits(statementMs)),
      options: options.keepPlans ? `${SAME_EVERYWHERE} ${KEPT_PLANS}` : SAME_EVERYWHERE,
    },
  };
}

/** A broken idle connection costs nothing: the next query opens another. */
export function ignoreLoss(): void {}
