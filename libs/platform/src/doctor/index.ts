export { failureSentence, reasons } from './failure-sentence';
export { off, ok, wrong, type Finding, type Limits, type Probe } from './finding';
export { keySetProbe } from './probe-key-set';
export { runDoctor, startDoctor, type Patient } from './run-doctor';
