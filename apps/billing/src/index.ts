export { databaseOptions, ENTITIES, MIGRATIONS } from './database';
export { BillingConfig } from './billing.config';
export { BILLING } from './service';
