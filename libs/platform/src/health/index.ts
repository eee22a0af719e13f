export { answering, askReadiness, useful, type CheckResult, type Readiness, type ReadinessAnswer } from './readiness';
