import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Readiness } from '../resilience/readiness';
import { closeTracing, type Logger, type MetricsPage } from '../observability';
import type { ErrorShape } from './error-answer';
import { HttpServer, listen, type RequestHandler } from './http-server';
import { internalServer } from './internal-server';

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
  /** Of the answers to what is no HTTP. Default: code and message alone. */
  errorShape?: ErrorShape;
}

export interface RunningHttp {
  url: string;
  internalUrl: string;
  /** Finishes open requests (at most 10 s), then closes both listeners and the applications. May be called again. */
  close(): Promise<void>;
}

/**
 * Serves an application until SIGTERM or SIGINT: readiness fails at once, open requests finish, the application closes,
 * and the process exits with 0. A signal more than a second later exits at once.
 * @throws CannotListen with a sentence for the operator
 */
export async function runHttp(app: NestFastifyApplication, options: ListenOptions): Promise<RunningHttp> {
  const running = await serve(await requestHandler(app), options, () => app.close().finally(closeTracing));
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
  const surface = new HttpServer(handle, options.errorShape);
  const { port, host, internalPort, internalHost = '127.0.0.1', readiness, metrics, errorShape } = options;
  const internal = internalServer({ readiness, metrics, isDraining: () => draining, errorShape });
  const url = await listen(surface.server, { port, host, variable: 'PORT' });
  const inner = { port: internalPort, host: internalHost, variable: 'INTERNAL_PORT' };
  const internalUrl = await listen(internal.server, inner).catch(async (error: unknown) => {
    await surface.drain(0);
    throw error;
  });

  const closeAll = async (): Promise<void> => {
    draining = true;
    await surface.drain(DRAIN_MS);
    await closeRest();
    // Last, so that readiness is answered for as long as anything runs.
    await internal.drain(0);
  };
  let closing: Promise<void> | undefined;
  return { url, internalUrl, close: () => (closing ??= closeAll()) };
}

/** Makes an application ready to answer without a listener of its own, so that one listener can serve several. */
export async function requestHandler(app: NestFastifyApplication): Promise<RequestHandler> {
  await app.init();
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  await fastify.ready();
  return fastify.handle;
}

/** Ctrl-C comes from the terminal and once more from npm, or from what else started this process. */
const SAME_WISH_MS = 1_000;

/**
 * Closes on the first SIGTERM or SIGINT and exits with 0, or 1 when closing failed; one that comes more than a second later
 * exits at once.
 */
export function closeOnSignal(running: { close(): Promise<void> }, logger: Logger): void {
  let askedAt: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (askedAt !== undefined) {
      if (performance.now() - askedAt > SAME_WISH_MS) process.exit(1);
      return;
    }
    askedAt = performance.now();
    logger.info({ signal }, 'stopping');
    running.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
