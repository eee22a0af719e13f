export { BackgroundLoop, type Duty, type DutyRun } from './background-loop';
export { BackgroundWorker, type WorkerDuty } from './background-worker';
export { CircuitBreaker, type CallResult } from './circuit-breaker';
export { answering, askReadiness, useful, type CheckResult, type Readiness } from './readiness';
