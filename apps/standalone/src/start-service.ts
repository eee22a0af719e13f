import type { ServiceConfig } from '@evenkeel/platform/config';
import { createHttpApp, exposeRequests, httpOptionsOf, requestHandler } from '@evenkeel/platform/http';
import type { Logger } from '@evenkeel/platform/observability';
import { migrate } from '@evenkeel/platform/persistence';
import type { EventTransport } from '@evenkeel/platform/messaging';
import { registryOf, workerReadiness, type Service } from '@evenkeel/platform/service';
import type { Closers } from './closers';
import type { RunningApp } from './running-app';

/** HTTP and background half of a service, on a migrated database of its own. */
export async function startService<Config extends ServiceConfig>(
  service: Service<Config>,
  config: Config,
  { transport, logger, closers }: { transport: EventTransport; logger: Logger; closers: Closers },
): Promise<RunningApp> {
  await migrate(service.database(config));
  const app = await createHttpApp(service.app.withWorker(config, transport), httpOptionsOf(config, logger));
  closers.add(() => app.close());
  const registry = registryOf(service.name, app);
  exposeRequests(app, registry);
  return { handle: await requestHandler(app), readiness: workerReadiness(service, app), registry };
}
