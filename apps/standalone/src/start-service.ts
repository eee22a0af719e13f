import { ownerOf } from '@evenkeel/contracts';
import type { ServiceConfig } from '@evenkeel/platform/config';
import {
  createHttpApp,
  exposeRequests,
  httpOptionsOf,
  requestHandler,
  type RequestHandler,
} from '@evenkeel/platform/http';
import {
  useful,
  type CheckResult,
  type Readiness,
  registryOf,
  wholeModule,
  workerReadiness,
  type Service,
} from '@evenkeel/platform/service';
import type { EventTransport } from '@evenkeel/platform/messaging';
import type { AppRegistry, Logger } from '@evenkeel/platform/observability';
import { migrate } from '@evenkeel/platform/persistence';
import type { Closers } from './closers';

/** One service of this process, with its background half. */
export interface RunningService {
  name: string;
  handle: RequestHandler;
  readiness: Readiness;
  registry: AppRegistry;
}

/** HTTP and background half of a service, on a migrated database of its own. */
export async function startService(
  service: Service<ServiceConfig>,
  config: ServiceConfig,
  { transport, logger, closers }: { transport: EventTransport; logger: Logger; closers: Closers },
): Promise<RunningService> {
  await migrate(service.database(config));
  const app = await createHttpApp(wholeModule(service, config, transport), httpOptionsOf(config, logger, service.http));
  closers.add(() => app.close());
  const registry = registryOf(service.name, app);
  exposeRequests(app, registry);
  const { name } = service;
  return { name, handle: await requestHandler(app), readiness: workerReadiness(service, app, transport), registry };
}

/** Gives a request to the service that owns its path; paths of services that do not run here go to the first. */
export function dispatch(services: readonly RunningService[]): RequestHandler {
  const byName = new Map<string, RunningService>(services.map((service) => [service.name, service]));
  return (request, response) => {
    const owner = ownerOf(request.url!.split('?', 1)[0]!);
    (byName.get(owner) ?? services[0]!).handle(request, response);
  };
}

/** Without its events a service answers as before, of what it knows. */
const ABOUT_EVENTS = 'events';

/** The process is ready when all of its services are; each check begins with the name of its service. */
export function allReady(services: readonly RunningService[]): Readiness {
  return async () => {
    const answers = services.map(async ({ name, readiness }) =>
      Object.entries(await readiness()).map(([check, result]): [string, CheckResult] => [
        `${name}.${check}`,
        check === ABOUT_EVENTS ? useful(result === true) : result,
      ]),
    );
    return Object.fromEntries((await Promise.all(answers)).flat());
  };
}
