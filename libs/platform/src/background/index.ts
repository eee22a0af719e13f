export { BackgroundLoop, type Duty, type DutyRun } from './background-loop';
