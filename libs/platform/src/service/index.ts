export { databaseReadiness, workerReadiness } from './readiness';
export { registryOf } from './registry-of';
export { runMain } from './run-main';
export { runMigrate } from './run-migrate';
export { runWorker } from './run-worker';
export type { Service } from './service';
