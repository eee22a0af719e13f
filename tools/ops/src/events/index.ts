export { TopicsConfig } from './create-topics/create-topics';
