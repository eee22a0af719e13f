export { createTopics, type CreateTopicsOptions, type TopicReport } from './create-topics';
export { KafkaTransport, type KafkaTransportOptions } from './kafka-transport';
