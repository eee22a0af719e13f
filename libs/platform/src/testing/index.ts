export { DatabaseLine, type Loss } from './database-line';
export { eventually } from './eventually';
export { limitedRoutes, routesOf } from './routes';
export { scrape, ScrapedPage } from './scrape';
export { TraceReceiver, type ReceivedSpan } from './trace-receiver';
export { createTestDatabase, type TestDatabase } from './test-database';
export {
  AnswerSchemas,
  answersToRecord,
  documentedAnswers,
  shapeOf,
  type DocumentedAnswer,
} from './documented-answers';
