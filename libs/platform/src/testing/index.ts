export { audit, type Offence } from './audit/audit';
export { DatabaseLine, type Loss } from './database-line';
export { eventually } from './eventually';
export { freePort } from './free-port';
export { limitedRoutes } from './routes';
export { routesOf } from './routes';
export { scrape, type ScrapedPage, type ScrapedSample } from './scrape';
export { createTestDatabase, type TestDatabase, type TestedApp } from './test-database';
