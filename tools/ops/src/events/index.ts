export { TopicsConfig } from './events.config';
