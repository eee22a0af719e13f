import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger, MetricsPage } from '../observability';
import { HttpServer } from './http-server';
import { internalServer, type Readiness } from './internal-server';
import { listen } from './listen';
import { requestHandler, type RequestHandler } from './request-handler';
import { closeOnSignal } from './shutdown';

const DRAIN_MS = 10_000;

export interface ListenOptions {
  port: number;
  /** Default: every address of the machine. */
  host?: string;
  internalPort: number;
  /** Default 127.0.0.1. */
  internalHost?: string;
  readiness: Readiness;
  /** Without it there is no `/metrics`. */
  metrics?: MetricsPage;
  logger: Logger;
}

export interface RunningHttp {
  url: string;
  internalUrl: string;
  /** Finishes open requests (at most 10 s), then closes both listeners and what stands behind them. Repeatable. */
  close(): Promise<void>;
}

/**
 * Serves an application until SIGTERM or SIGINT: readiness fails at once, open requests finish, the application closes,
 * and the process exits with 0. A second signal exits at once.
 * @throws CannotListen with a sentence for the operator
 */
export async function runHttp(app: NestFastifyApplication, options: ListenOptions): Promise<RunningHttp> {
  const running = await serve(await requestHandler(app), options, () => app.close());
  closeOnSignal(running, options.logger);
  return running;
}

/**
 * The same over any handler and without signals, for a process that puts several applications behind one listener.
 * @param closeRest runs after the last request
 */
export async function serve(
  handle: RequestHandler,
  options: ListenOptions,
  closeRest: () => Promise<void>,
): Promise<RunningHttp> {
  let draining = false;
  const surface = new HttpServer(handle);
  const { port, host, internalPort, internalHost = '127.0.0.1', readiness, metrics } = options;
  const internal = internalServer({ readiness, metrics, isDraining: () => draining });
  const url = await listen(surface.server, { port, host, variable: 'PORT' });
  const internalUrl = await listen(internal.server, {
    port: internalPort,
    host: internalHost,
    variable: 'INTERNAL_PORT',
  }).catch(async (error: unknown) => {
    await surface.drain(0);
    throw error;
  });

  const closeAll = async (): Promise<void> => {
    draining = true;
    await surface.drain(DRAIN_MS);
    await closeRest();
    // Last, so that readiness tells the truth for as long as there is anything to tell.
    await internal.drain(0);
  };
  let closing: Promise<void> | undefined;
  return { url, internalUrl, close: () => (closing ??= closeAll()) };
}
