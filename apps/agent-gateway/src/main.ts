import { createHttpApp, createLogger, loadConfig, runHttp, waitForSchema } from '@evenkeel/platform';
import { AgentGatewayConfig, AppModule, databaseOptions, readinessOf } from './index';

async function main(): Promise<void> {
  const config = loadConfig(AgentGatewayConfig, process.env);
  const logger = createLogger('agent-gateway');
  await waitForSchema(databaseOptions(config));
  const app = await createHttpApp(AppModule.forRoot(config), {
    logger,
    maxBodyBytes: config.MAX_BODY_BYTES,
    publicBaseUrl: config.baseUrl,
    corsOrigins: config.corsOrigins,
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
