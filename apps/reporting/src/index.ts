export { databaseOptions, ENTITIES, MIGRATIONS } from './database';
export { ProjectLedger, SUBSCRIPTION } from './projection/project-ledger.consumer';
export { ReportingConfig } from './reporting.config';
export { REPORTING } from './service';
