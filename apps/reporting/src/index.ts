export { databaseOptions, ENTITIES, MIGRATIONS } from './database';
export { LEDGER_PROJECTION, ProjectLedger } from './projection/project-ledger.consumer';
export { ReportingConfig } from './reporting.config';
export { REPORTING } from './service';
