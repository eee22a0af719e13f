import { FollowStream } from '@evenkeel/platform/projection';
import type { Service } from '@evenkeel/platform/service';
import { AppModule } from './app.module';
import { databaseOptions } from './database';
import { ReportingConfig } from './reporting.config';
import { WorkerModule } from './app.module';

export const REPORTING: Service<ReportingConfig> = {
  name: 'reporting',
  config: ReportingConfig,
  database: databaseOptions,
  app: AppModule,
  worker: WorkerModule,
  // A reader that has shown a sign of life within the last minute.
  workerReadiness: (app) => {
    const stream = app.get(FollowStream);
    return async () => ({ events: stream.isAlive() });
  },
  workerOnlyReads: true,
};
