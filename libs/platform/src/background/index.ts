export { BackgroundLoop, type Duty, type DutyRun } from './background-loop';
export { BackgroundWorker, type WorkerDuty } from './background-worker';
