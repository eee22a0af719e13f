export { runMain, runMigrate, runWorker } from './run-service';
export type { Service, ServiceCore } from './service';
export {
  appModule,
  coreModule,
  databaseReadiness,
  registryOf,
  wholeModule,
  workerModule,
  workerReadiness,
} from './service-modules';
