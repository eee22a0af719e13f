export { AppModule } from './app.module';
export { databaseOptions, ENTITIES, MIGRATIONS } from './database';
export { readinessOf, workerReadinessOf } from './readiness';
export { ReportingConfig } from './reporting.config';
export { WorkerModule } from './worker.module';
