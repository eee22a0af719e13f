import { HTTP_CONVENTIONS } from '@evenkeel/contracts';
import { loadConfig, ProcessCrash, type Environment } from '@evenkeel/platform/config';
import { streamsReadiness } from '@evenkeel/platform/messaging';
import { coreModule, type Service } from '@evenkeel/platform/service';
import type { DynamicModule, Type } from '@nestjs/common';
import { AppModule, limitsOf, WorkerModule } from './app.module';
import { BillingConfig } from './billing.config';
import { databaseOptions } from './database';
import { RemoteSignInModule } from './remote-sign-in/remote-sign-in.module';
import { ReadBillingState } from './state/read-billing-state';
import { probes } from './operations/probes';

export const BILLING: Service<BillingConfig> = {
  name: 'billing',
  config: BillingConfig,
  database: databaseOptions,
  shared: ({ CRASH_AT }) => ({ providers: [{ provide: ProcessCrash, useValue: new ProcessCrash(CRASH_AT) }] }),
  http: {
    ...HTTP_CONVENTIONS,
    secretHeaders: ['stripe-signature'],
    // A stand-in for Stripe is a provider that is not known.
    isTakenRaw: (path) => path.startsWith('/v1/billing/webhook/'),
  },
  app: AppModule,
  appModules: (config) => [RemoteSignInModule.forRoot(config, 'v1', ReadBillingState), limitsOf(config)],
  worker: WorkerModule,
  workerReadiness: streamsReadiness,
  probes,
};

class OperatorModule {}

/** The service as far as a command of an operator needs it: no listener, no worker. */
export function operatorModule(env: Environment, commands: Type): DynamicModule {
  const config = loadConfig(BillingConfig, env);
  return { module: OperatorModule, imports: [coreModule(BILLING, config), commands] };
}
