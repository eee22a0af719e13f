export { databaseOptions, ENTITIES, MIGRATIONS } from './database';
export { AccountsConfig } from './accounts.config';
export { ACCOUNTS } from './service';
