export { failureSentence, off, ok, reasons, wrong, type Finding, type Probe } from '../doctor/finding';
export { BackgroundWorker, type WorkerJob } from '../resilience/background-worker';
export { CircuitBreaker, type CallResult } from '../resilience/circuit-breaker';
export { useful, type CheckResult, type Readiness } from '../resilience/readiness';
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
