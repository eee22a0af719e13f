import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '../pages/html';
import { readRequest, sendJson, type Api, type ApiRequest } from './api';
import type { ApiFaults } from './faults';
import { Refusal } from './refusal';

/** What the server hands requests to. */
export interface Served {
  api: Api;
  faults: ApiFaults;
  /** Makes happen what has fallen due. */
  catchUp: () => void;
  /** @param form what was sent with POST, else null */
  page: (path: string, form: URLSearchParams | null) => Promise<Page>;
  /** Follows a command; undefined when that is not open. */
  control: ((command: unknown) => Promise<unknown>) | undefined;
}

/** Answers the API under `/v1`, the control, and the hosted pages everywhere else. */
export function serve(served: Served): RequestListener {
  return (request, response) => {
    void answer(served, request, response).catch((error: unknown) => {
      if (error instanceof Refusal) return sendJson(response, error.status, { error: error.body });
      console.error(error);
      return sendJson(response, 500, { error: { type: 'api_error', message: 'The development Stripe failed.' } });
    });
  };
}

async function answer(served: Served, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const request = await readRequest(incoming);
  if (request.path.startsWith('/v1/')) return answerApi(served, request, response);
  if (request.path === '/control' && served.control) return answerControl(served.control, request, response);
  served.catchUp();
  const form = request.method === 'POST' ? new URLSearchParams(request.body) : null;
  sendPage(response, await served.page(request.path, form));
}

function answerApi({ api, faults, catchUp }: Served, request: ApiRequest, response: ServerResponse): Promise<void> {
  return faults.around(response, (answered) => {
    catchUp();
    const { status, body, headers } = api.answer(request);
    if (answered) sendJson(answered, status, body, headers);
  });
}

async function answerControl(
  control: NonNullable<Served['control']>,
  request: ApiRequest,
  response: ServerResponse,
): Promise<void> {
  try {
    const result = await control(JSON.parse(request.body));
    sendJson(response, 200, { done: true, result: result ?? null });
  } catch (error) {
    sendJson(response, 400, { error: 'bad_command', message: (error as Error).message });
  }
}

function sendPage(response: ServerResponse, page: Page): void {
  if ('redirect' in page) {
    response.writeHead(303, { location: page.redirect }).end();
    return;
  }
  response.writeHead(page.status, { 'content-type': 'text/html; charset=utf-8' }).end(page.html);
}

/** The one listening server. */
export class Listener {
  private readonly server: Server;

  constructor(handler: RequestListener) {
    // Above the idle time of the callers' pools, so that no call meets a connection that is being closed.
    this.server = createServer({ keepAliveTimeout: 65_000 }, handler);
  }

  /** @returns the address; throws a sentence when the port is taken */
  async open(port: number, host: string): Promise<string> {
    this.server.listen(port, host);
    await once(this.server, 'listening').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new Error(`Port ${port} of ${host} is taken by another process. Stop it or choose another with --port.`);
    });
    return `http://${host}:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closing = this.server.listening ? once(this.server, 'close') : undefined;
    this.server.close();
    this.server.closeAllConnections();
    await closing;
  }
}
