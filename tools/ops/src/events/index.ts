export { TopicsConfig } from './create-topics/create-topics';
export { createTopics } from './create-topics/stream-topics';
export { runRebuild } from './rebuild/rebuild';
