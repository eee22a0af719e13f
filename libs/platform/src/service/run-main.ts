import { loadConfig, type Environment, type ServiceConfig } from '../config';
import { createHttpApp, exposeRequests, httpOptionsOf, runHttp } from '../http';
import { createLogger, metricsPage, processRegistry } from '../observability';
import { waitForSchema } from '../persistence';
import { databaseReadiness } from './readiness';
import { registryOf } from './registry-of';
import { runProgram, sayReady } from './run-program';
import type { Service } from './service';

/** The program `main` of a service: waits for its schema, then answers over HTTP until SIGTERM or SIGINT. */
export function runMain<Config extends ServiceConfig>(service: Service<Config>, env: Environment): void {
  runProgram(async () => {
    const config = loadConfig(service.config, env);
    const logger = createLogger(service.name);
    await waitForSchema(service.database(config));
    const app = await createHttpApp(service.app.forRoot(config), httpOptionsOf(config, logger));
    const readiness = databaseReadiness(app);
    const registry = registryOf(service.name, app);
    exposeRequests(app, registry);
    const metrics = metricsPage([processRegistry(service.name), registry]);
    const listening = { port: config.PORT, internalPort: config.INTERNAL_PORT, readiness, metrics, logger };
    const { url, internalUrl } = await runHttp(app, listening);
    sayReady({ url, internalUrl });
  });
}
