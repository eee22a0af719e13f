export { databaseOptions, ENTITIES, MIGRATIONS } from './database';
export { ProjectLedger } from './projection/project-ledger.consumer';
export { SUBSCRIPTION } from './projection/subscription';
export { ReportingConfig } from './reporting.config';
export { REPORTING } from './service';
