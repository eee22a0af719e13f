import { HTTP_CONVENTIONS } from '@evenkeel/contracts';
import { FollowStream } from '@evenkeel/platform/projection';
import type { Service } from '@evenkeel/platform/service';
import { AppModule, limitsOf, WorkerModule } from './app.module';
import { databaseOptions } from './database';
import { ReportingConfig } from './reporting.config';

export const REPORTING: Service<ReportingConfig> = {
  name: 'reporting',
  config: ReportingConfig,
  database: databaseOptions,
  http: HTTP_CONVENTIONS,
  app: AppModule,
  appModules: (config) => [limitsOf(config)],
  worker: WorkerModule,
  // A reader that has shown a sign of life within the last minute.
  workerReadiness: (app) => {
    const stream = app.get(FollowStream);
    return async () => ({ events: stream.isAlive() });
  },
  workerOnlyReads: true,
};
