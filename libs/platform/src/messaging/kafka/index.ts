export { createTopics, type CreateTopicsOptions, type TopicReport } from './create-topics';
