export { AppModule } from './app.module';
export { databaseOptions, ENTITIES, MIGRATIONS } from './database';
export { ProjectLedger } from './projection/project-ledger.consumer';
export { SUBSCRIPTION } from './projection/subscription';
export { readinessOf, workerReadinessOf } from './readiness';
export { ReportingConfig } from './reporting.config';
export { WorkerModule } from './worker.module';
