export { databaseOptions, ENTITIES, MIGRATIONS } from './database';
export { LEDGER_PROJECTION, ProjectLedger } from './projection/project-ledger.consumer';
export {
  ProjectSubscriptions,
  SUBSCRIPTIONS_PROJECTION,
} from './projection/subscriptions/project-subscriptions.consumer';
export { ReportingConfig } from './reporting.config';
export { REPORTING } from './service';
