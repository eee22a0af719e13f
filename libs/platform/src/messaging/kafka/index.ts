export { createTopics, type CreateTopicsOptions, type TopicReport } from './kafka-client';
