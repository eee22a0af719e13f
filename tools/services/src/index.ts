export { CannotStartPostgres } from './postgres/cannot-start-postgres';
export { CannotStartService } from './cannot-start-service';
export { CHROMIUM_ARGUMENTS, ensureChromium } from './chromium';
export { ensureDatabase } from './postgres/ensure-database';
export { freePort, steadyPort } from './free-port';
export { ensureKcat } from './kafka/kcat';
export { startKafka, type KafkaOptions, type RunningKafka } from './kafka/start-kafka';
export type { RestartableServer } from './restartable-server';
export {
  startPostgres,
  startTemporaryPostgres,
  type PostgresOptions,
  type RunningPostgres,
} from './postgres/start-postgres';
export { startRedis, type RunningRedis } from './redis/start-redis';
export { ensureWallets } from './wallets/ensure-wallets';
