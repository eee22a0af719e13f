export { eventDocuments } from './document/event-documents';
