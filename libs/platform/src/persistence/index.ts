export { Batcher, inputRows, type InputColumn } from './batched-statements';
export { openPool, poolOf, poolsOf } from './data-source';
export { microsColumn, readMicros } from './micros-column';
export { migrate } from './migrate';
export { exposePools } from './pool-figures';
export { postgresOptions, type PostgresOptions } from './postgres-options';
export { retrySerialization } from './retry-serialization';
export { waitForSchema } from './wait-for-schema';
