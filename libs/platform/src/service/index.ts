export { BROKER_LAST_WORDS_MS, runMain, runMigrate, runWorker } from './run-service';
export type { Service, ServiceCore } from './service';
export {
  appModule,
  appReadiness,
  coreModule,
  registryOf,
  wholeModule,
  workerModule,
  workerReadiness,
} from './service-modules';
