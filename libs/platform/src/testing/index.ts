export { audit, type Offence } from './audit/audit';
export { eventually } from './eventually';
export { freePort } from './free-port';
export { createTestDatabase, type TestDatabase, type TestedApp } from './test-database';
