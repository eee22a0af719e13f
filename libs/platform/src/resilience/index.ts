export { BackgroundWorker, type WorkerJob } from './background-worker';
export { CircuitBreaker, type CallResult } from './circuit-breaker';
export { useful, type CheckResult, type Readiness } from './readiness';
