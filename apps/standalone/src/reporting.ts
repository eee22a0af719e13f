import { createHttpApp, migrate, requestHandler, type Logger } from '@evenkeel/platform';
import type { EventTransport } from '@evenkeel/platform/messaging';
import { AppModule, databaseOptions, workerReadinessOf, type ReportingConfig } from '@evenkeel/reporting';
import type { Closers } from './closers';
import type { RunningApp } from './running-app';

/** HTTP and background half of reporting, on a migrated database of its own. */
export async function startReporting(
  config: ReportingConfig,
  transport: EventTransport,
  logger: Logger,
  closers: Closers,
): Promise<RunningApp> {
  await migrate(databaseOptions(config));
  const app = await createHttpApp(AppModule.withWorker(config, transport), {
    logger,
    maxBodyBytes: config.MAX_BODY_BYTES,
    publicBaseUrl: config.baseUrl,
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
  });
  closers.add(() => app.close());
  return { handle: await requestHandler(app), readiness: workerReadinessOf(app) };
}
