export { failureSentence, reasons } from '../doctor/failure-sentence';
export { off, ok, wrong, type Finding, type Limits, type Probe } from '../doctor/finding';
export { keySetProbe } from '../doctor/probe-key-set';
export { runDoctor, startDoctor, type Patient } from '../doctor/run-doctor';
export { createTopics, makeTopics } from '../messaging/kafka/kafka-client';
