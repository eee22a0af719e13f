export { createTopics, makeTopics } from './kafka-client';
