export { eventDocuments } from './document/event-documents';
export { TopicsConfig } from './events.config';
