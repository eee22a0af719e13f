export { AgentGatewayConfig, CRASH_POINTS, type CrashPoint } from './agent-gateway.config';
export { AppModule } from './app.module';
export { databaseOptions, ENTITIES, MIGRATIONS } from './database';
export { readinessOf } from './readiness';
export { WorkerModule } from './worker.module';
