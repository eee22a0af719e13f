import { Clock } from '@evenkeel/kernel';
import type { DynamicModule, Provider } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceConfig } from '../../config';
import { createHttpApp, exposeRequests, httpOptionsOf, requestHandler, serve, type RunningHttp } from '../../http';
import type { EventTransport } from '../../messaging';
import { createLogger, metricsPage } from '../../observability';
import { appModule, appReadiness, registryOf, wholeModule, type Service } from '../../service';

export interface ServedService {
  app: NestFastifyApplication;
  running: RunningHttp;
}

interface ServedOptions {
  /** In place of that of the service, wherever it is provided. */
  clock: Clock;
  /** With it the background half runs too. */
  transport?: EventTransport;
  /** Work beside the service. */
  modules?: DynamicModule['imports'];
  /** Takes every line of its log, which else is silent. */
  output?: { write: (line: string) => void };
}

/** A service over real HTTP on a free port, in a time of its own. */
export async function serveService<Config extends ServiceConfig>(
  service: Service<Config>,
  config: Config,
  { clock, transport, modules = [], output }: ServedOptions,
): Promise<ServedService> {
  const logger = createLogger('test', { level: output ? 'trace' : 'silent', destination: output });
  const module = transport ? wholeModule(service, config, transport) : appModule(service, config);
  const options = { ...httpOptionsOf(config, logger, service.http), requestLog: output !== undefined };
  const app = await createHttpApp(
    withClock({ ...module, imports: [...(module.imports ?? []), ...modules] }, clock),
    options,
  );
  const registry = registryOf('test', app);
  exposeRequests(app, registry);
  const inner = { readiness: appReadiness(service, app), metrics: metricsPage([registry]) };
  const ports = { port: 0, host: '127.0.0.1', internalPort: 0 };
  const listening = { ...ports, ...inner, logger, errorShape: service.http?.errorShape };
  return { app, running: await serve(await requestHandler(app), listening, () => app.close()) };
}

function withClock({ imports = [], providers = [], ...module }: DynamicModule, clock: Clock): DynamicModule {
  const isClock = (provider: Provider) => 'provide' in provider && provider.provide === Clock;
  return {
    ...module,
    imports: imports.map((one) => ('module' in one ? withClock(one, clock) : one)),
    providers: providers.map((provider) => (isClock(provider) ? { provide: Clock, useValue: clock } : provider)),
  };
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body where it is JSON, else empty. */
  body: { error?: string; message?: string; details?: Record<string, unknown> } & Record<string, unknown>;
}

/** The answer to one request, read to its end. */
export async function ask(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson && text !== '' ? JSON.parse(text) : {}) as Reply['body'],
  };
}

export interface AskOptions {
  /** Of the person who asks. */
  token?: string;
  /** Anything that is JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** For `ask`: a request with JSON, of a person where there is a token. */
export function jsonRequest(method: string, { token, body, headers }: AskOptions = {}): RequestInit {
  return {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}
