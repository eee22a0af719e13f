import { Clock, SystemClock } from '@evenkeel/kernel';
import { Module, type DynamicModule, type INestApplicationContext, type Provider } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import type { ServiceConfig } from '../config';
import { answering, type CheckResult, type Readiness } from '../resilience/readiness';
import type { EventTransport } from '../messaging';
import { AppRegistry } from '../observability';
import { exposePools, openDataSource, poolsOf } from '../persistence';
import { RateWindows } from '../throttling/rate-windows';
import type { Service, ServiceCore } from './service';

@Module({})
class CoreModule {}

/**
 * The core of a service, for all of its modules: its settings under their class, `Clock`, `AppRegistry`
 * (also as `Registry`), `DataSource`, and what the service shares.
 */
export function coreModule<Config extends ServiceConfig>(service: ServiceCore<Config>, config: Config): DynamicModule {
  const { imports: modules = [], providers: shared = [] } = service.shared?.(config) ?? {};
  const providers: Provider[] = [
    { provide: service.config, useValue: config },
    { provide: Clock, useClass: SystemClock },
    AppRegistry,
    { provide: Registry, useExisting: AppRegistry },
    { provide: DataSource, useExisting: getDataSourceToken(service.name) },
    ...shared,
  ];
  const tokens = providers.map((provider) => ('provide' in provider ? provider.provide : provider));
  const database = TypeOrmModule.forRootAsync({
    // Nest warns of two data sources with one name, also in different applications of a process.
    name: service.name,
    // Nest would call each attempt that fails an error.
    useFactory: () => ({ ...service.database(config), toRetry: () => false }),
    dataSourceFactory: (options) => openDataSource(options!),
  });
  const imports = [database, ...modules];
  return { module: CoreModule, global: true, imports, providers, exports: [...tokens, ...modules] };
}

/** The half of a service that answers over HTTP. */
export function appModule<Config extends ServiceConfig>(service: Service<Config>, config: Config): DynamicModule {
  return { module: service.app, imports: [coreModule(service, config), ...(service.appModules?.(config) ?? [])] };
}

/** The half of a service that works in the background. */
export function workerModule<Config extends ServiceConfig>(
  service: Service<Config>,
  config: Config,
  transport: EventTransport,
): DynamicModule {
  const { imports = [], ...worker } = service.worker.forRoot(transport);
  return { ...worker, imports: [coreModule(service, config), ...imports] };
}

/** Both halves of a service, for a process that is all of it. */
export function wholeModule<Config extends ServiceConfig>(
  service: Service<Config>,
  config: Config,
  transport: EventTransport,
): DynamicModule {
  const { imports = [], ...app } = appModule(service, config);
  return { ...app, imports: [...imports, service.worker.forRoot(transport)] };
}

/** How long Redis or a broker may take to answer before it is missing. */
const CHECK_LIMIT_MS = 300;

/** Readiness of the half that answers over HTTP: each process counts by itself while Redis is gone. */
export function appReadiness<Config extends ServiceConfig>(
  service: Service<Config>,
  app: INestApplicationContext,
): Readiness {
  const dataSource = app.get(DataSource);
  const windows = windowsOf(app);
  // A service can do nothing without its database.
  const database: Readiness = async () => ({
    database: await dataSource.query('SELECT 1').then(
      () => true,
      () => false,
    ),
  });
  return allOf(
    database,
    answeringReadiness('redis', () => windows?.storeAnswers()),
    service.readiness?.(app),
  );
}

/** Readiness of the background half, alone or beside the other: while no broker answers, events wait. */
export function workerReadiness<Config extends ServiceConfig>(
  service: Service<Config>,
  app: INestApplicationContext,
  transport?: EventTransport,
): Readiness {
  const kafka = answeringReadiness('kafka', () => transport?.brokersAnswer());
  return allOf(appReadiness(service, app), kafka, service.workerReadiness?.(app));
}

/** A service without limits has none. */
function windowsOf(app: INestApplicationContext): RateWindows | undefined {
  try {
    return app.get(RateWindows, { strict: false });
  } catch {
    return undefined;
  }
}

/** @param ask null where the process does not use it */
function answeringReadiness(name: string, ask: () => Promise<boolean> | null | undefined): Readiness {
  return async () => {
    const answered = ask();
    return answered ? { [name]: await answering(answered, CHECK_LIMIT_MS) } : {};
  };
}

/** All checks at once. */
function allOf(...parts: readonly (Readiness | undefined)[]): Readiness {
  return async () => {
    const results = await Promise.all(parts.map(async (part) => part?.()));
    return Object.assign({}, ...results) as Record<string, CheckResult>;
  };
}

/** The registry of an app, with the metrics that every app has. */
export function registryOf(service: string, app: INestApplicationContext): AppRegistry {
  const registry = app.get(AppRegistry);
  registry.setDefaultLabels({ service });
  const dataSource = app.get(DataSource);
  exposePools(registry, () => poolsOf(dataSource));
  return registry;
}
