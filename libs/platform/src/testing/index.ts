export { eventually } from './eventually';
export { freePort } from './free-port';
export { createTestDatabase, type TestDatabase, type TestedApp } from './test-database';
