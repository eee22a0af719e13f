export { kafkaClient, makeTopics, withAdmin } from './kafka-client';
