export { CannotStartPostgres } from './postgres/data-folder';
export {
  startPostgres,
  startTemporaryPostgres,
  type PostgresOptions,
  type RunningPostgres,
} from './postgres/start-postgres';
export { cachedFolder } from './cache-folder';
export { CannotStartService, ensureProgram } from './ensure-program';
export { ensureDatabase } from './postgres/ensure-database';
export { fetchedPackages } from './fetched-packages';
export { freePort } from './free-port';
export { startHaproxy, type HaproxyOptions } from './haproxy/start-haproxy';
export { ensureKcat } from './kafka/kafka-distribution';
export { startKafka, type KafkaOptions, type RunningKafka } from './kafka/start-kafka';
export { ownNodeOptions, productionAllocator, productionNodeOptions } from './programs/production-options';
export type { RestartableServer } from './restartable-server';
export { startPgbouncer, type PgbouncerOptions, type RunningPgbouncer } from './pgbouncer/start-pgbouncer';
export { startRedis, type RunningRedis } from './redis/start-redis';
