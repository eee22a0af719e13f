export { CannotStartPostgres } from './postgres/installation';
export { ensureDatabase, startPostgres, startTemporaryPostgres, type RunningPostgres } from './postgres/start-postgres';
export { cachedFolder, fetchedPackages, keptFolder } from './cache-folder';
export { CannotStartService, type Command, ensureProgram, type OperatorLog, runInstaller } from './ensure-program';
export { freePort } from './free-port';
export { CERTIFICATE, PRIVATE_KEY } from './kafka/self-signed-certificate';
export { startKafka, type RunningKafka } from './kafka/start-kafka';
export { ownNodeOptions } from './programs/production-options';
export { type PgbouncerOptions, startHaproxy, startPgbouncer, startRedis, type RunningRedis } from './servers';
