import type { IncomingMessage, ServerResponse } from 'node:http';
import { HTTP_CONVENTIONS } from '@evenkeel/contracts';
import { Clock, SystemClock } from '@evenkeel/kernel';
import { loadConfig } from '@evenkeel/platform/config';
import { createHttpApp, requestHandler, serve, type RunningHttp } from '@evenkeel/platform/http';
import { createLogger } from '@evenkeel/platform/observability';
import { Global, Module } from '@nestjs/common';
import { limitsOf } from '../app.module';
import { ReportingConfig } from '../reporting.config';
import { DashboardModule } from './dashboard.module';

@Global()
@Module({ providers: [{ provide: Clock, useClass: SystemClock }], exports: [Clock] })
class ClockModule {}

/** Gives the files of the page. */
export type FileService = (request: IncomingMessage, response: ServerResponse) => void;

/** The page over real HTTP, without anything that it asks but files. */
export async function servePage(files?: FileService): Promise<RunningHttp> {
  const config = loadConfig(ReportingConfig, { DATABASE_URL: 'postgres://nobody@localhost/nothing' });
  const logger = createLogger('reporting', { level: 'silent' });
  const app = await createHttpApp(
    { module: DashboardModule, imports: [ClockModule, limitsOf(config)] },
    { ...HTTP_CONVENTIONS, logger, maxBodyBytes: 1_024, publicBaseUrl: config.baseUrl },
  );
  const listening = { port: 0, host: '127.0.0.1', internalPort: 0, readiness: async () => ({}), logger };
  const page = await requestHandler(app);
  const isFile = ({ url }: IncomingMessage) => /\.csv\?/.test(url!);
  const handle: typeof page = (request, response) => (files && isFile(request) ? files : page)(request, response);
  return serve(handle, listening, () => app.close());
}
