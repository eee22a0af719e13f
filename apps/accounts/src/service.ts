import { HTTP_CONVENTIONS } from '@evenkeel/contracts';
import { ProcessCrash } from '@evenkeel/platform/config';
import { streamsReadiness } from '@evenkeel/platform/messaging';
import type { Service } from '@evenkeel/platform/service';
import { AppModule, limitsOf, WorkerModule } from './app.module';
import { databaseOptions } from './database';
import { AccountsConfig } from './accounts.config';
import { probes } from './operations/probes';

export const ACCOUNTS: Service<AccountsConfig> = {
  name: 'accounts',
  config: AccountsConfig,
  database: databaseOptions,
  shared: ({ CRASH_AT }) => ({ providers: [{ provide: ProcessCrash, useValue: new ProcessCrash(CRASH_AT) }] }),
  http: HTTP_CONVENTIONS,
  app: AppModule,
  appModules: (config) => [limitsOf(config)],
  worker: WorkerModule,
  workerReadiness: streamsReadiness,
  probes,
};
