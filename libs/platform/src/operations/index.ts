export { failureSentence, reasons } from '../doctor/failure-sentence';
export { off, ok, wrong, type Finding, type Probe } from '../doctor/finding';
export { keySetProbe } from '../doctor/probe-key-set';
export { startDoctor } from '../doctor/run-doctor';
export { createTopics } from '../messaging/kafka/kafka-client';
