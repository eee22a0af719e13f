import { createHttpApp, createLogger, loadConfig, runHttp, waitForSchema } from '@evenkeel/platform';
import { AppModule, databaseOptions, readinessOf, ReportingConfig } from './index';

async function main(): Promise<void> {
  const config = loadConfig(ReportingConfig, process.env);
  const logger = createLogger('reporting');
  await waitForSchema(databaseOptions(config));
  const app = await createHttpApp(AppModule.forRoot(config), {
    logger,
    maxBodyBytes: config.MAX_BODY_BYTES,
    publicBaseUrl: config.baseUrl,
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
  });
  const running = await runHttp(app, {
    port: config.PORT,
    internalPort: config.INTERNAL_PORT,
    readiness: readinessOf(app),
    logger,
  });
  console.log(JSON.stringify({ ready: true, url: running.url, internalUrl: running.internalUrl }));
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
