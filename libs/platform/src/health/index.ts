export { answering, askReadiness, useful, type CheckResult, type Readiness } from './readiness';
