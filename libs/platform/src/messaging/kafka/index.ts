export { createTopics, makeTopics, type CreateTopicsOptions, type TopicReport } from './kafka-client';
