export { failureSentence, reasons } from '../doctor/failure-sentence';
export { off, ok, wrong, type Finding, type Probe } from '../doctor/finding';
export { keySetProbe } from '../doctor/probe-key-set';
export { createTopics } from '../messaging/kafka/kafka-client';
