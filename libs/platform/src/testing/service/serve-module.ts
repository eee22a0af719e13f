import { Clock } from '@evenkeel/kernel';
import type { DynamicModule, Provider } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceConfig } from '../../config';
import { createHttpApp, exposeRequests, httpOptionsOf, requestHandler, serve, type RunningHttp } from '../../http';
import { createLogger, metricsPage } from '../../observability';
import { databaseReadiness, registryOf } from '../../service';

export interface ServedModule {
  app: NestFastifyApplication;
  running: RunningHttp;
}

/**
 * An app over real HTTP on a free port, silent, in a time of its own.
 * @param module as the app makes it of this config; its `Clock` is replaced wherever it is provided
 */
export async function serveModule(module: DynamicModule, config: ServiceConfig, clock: Clock): Promise<ServedModule> {
  // Without a destination each would have a timer and a listener of the process for standard output.
  const logger = createLogger('test', { level: 'silent', destination: { write: () => undefined } });
  const options = { ...httpOptionsOf(config, logger), requestLog: false };
  const app = await createHttpApp(withClock(module, clock), options);
  const registry = registryOf('test', app);
  exposeRequests(app, registry);
  const inner = { readiness: databaseReadiness(app), metrics: metricsPage([registry]) };
  const listening = { port: 0, host: '127.0.0.1', internalPort: 0, ...inner, logger };
  return { app, running: await serve(await requestHandler(app), listening, () => app.close()) };
}

function withClock({ imports = [], providers = [], ...module }: DynamicModule, clock: Clock): DynamicModule {
  const isClock = (provider: Provider) => 'provide' in provider && provider.provide === Clock;
  return {
    ...module,
    imports: imports.map((one) => ('module' in one ? withClock(one, clock) : one)),
    providers: providers.map((provider) => (isClock(provider) ? { provide: Clock, useValue: clock } : provider)),
  };
}
