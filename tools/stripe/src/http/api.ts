import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Calls, Handler } from '../calls/call';
import { shapeOf, versionOf, type ApiShape } from '../events/old-shape';
import { newId } from '../world/ids';
import type { World } from '../world/world';
import { Expansion } from './expand';
import { IdempotentAnswers, type Answer } from './idempotency';
import { Params, readForm } from './params';
import { Refusal } from './refusal';

/** A request to the API, read. */
export interface ApiRequest {
  method: string;
  path: string;
  query: string;
  body: string;
  key: string | undefined;
  authorization: string | undefined;
  version: string | undefined;
}

/** A call as it came and as it was answered. */
export interface AnsweredCall {
  /** As the README lists them: `POST /v1/subscriptions/:id`; null for a call that is not known. */
  route: string | null;
  request: ApiRequest;
  status: number;
  body: object;
}

/** The API over all its calls: who may call, answers kept by key, expansion, versions, errors. */
export class Api {
  private readonly kept = new IdempotentAnswers();
  private readonly routes: { name: string; pattern: RegExp; method: string; handler: Handler }[];

  constructor(
    private readonly world: World,
    calls: Calls,
    private readonly account: { secretKey: string; shape: ApiShape },
    private readonly onCall: (call: AnsweredCall) => void,
  ) {
    // Fixed words come before names: `create_preview` is no id.
    const ordered = Object.entries(calls).sort(
      ([one], [other]) => Number(one.includes(':')) - Number(other.includes(':')),
    );
    this.routes = ordered.map(([route, handler]) => {
      const [method, path] = route.split(' ') as [string, string];
      return { name: route, method, handler, pattern: new RegExp(`^${path.replace(':id', '([^/]+)')}$`) };
    });
  }

  /** Answers a request; whatever goes wrong is an error as Stripe writes it. */
  answer(request: ApiRequest): Answer & { headers: Record<string, string> } {
    const answer = this.answerOf(request);
    const { status, body } = answer;
    this.onCall({ route: this.routeOf(request)?.name ?? null, request, status, body });
    return answer;
  }

  private answerOf(request: ApiRequest): Answer & { headers: Record<string, string> } {
    const requestId = newId('req', 14);
    const headers = {
      date: this.world.time.now().toUTCString(),
      'request-id': requestId,
      'stripe-version': request.version ?? versionOf(this.account.shape),
    };
    try {
      this.authorize(request);
      checkVersion(request);
      const whole = `${request.method} ${request.path}?${request.query}\n${request.body}`;
      const { key } = request;
      const now = this.world.time.seconds;
      const first = key === undefined ? undefined : this.kept.find(key, whole, now);
      if (first) return { ...first, headers: { ...headers, 'idempotent-replayed': 'true' } };
      const answer = this.run(request, requestId);
      if (key !== undefined && request.method === 'POST') this.kept.keep(key, whole, now, answer);
      return { ...answer, headers };
    } catch (error) {
      if (error instanceof Refusal) return { ...refused(error), headers };
      throw error;
    }
  }

  private run(request: ApiRequest, requestId: string): Answer {
    const route = this.routeOf(request);
    if (!route) throw unknownRoute(request);
    const id = decoded(route.pattern.exec(request.path)![1] ?? '');
    const params = new Params({ ...readForm(request.query), ...readForm(request.body) });
    const paths = params.texts('expand');
    const { events } = this.world;
    events.request = { id: requestId, idempotency_key: request.key ?? null };
    try {
      const object = route.handler({ params, world: this.world, id });
      return { status: 200, body: this.rendered(object, paths, request.version) };
    } catch (error) {
      if (error instanceof Refusal && error.status === 402) return refused(error);
      throw error;
    } finally {
      events.request = { id: null, idempotency_key: null };
    }
  }

  private routeOf(request: ApiRequest) {
    return this.routes.find(({ method, pattern }) => method === request.method && pattern.test(request.path));
  }

  private rendered(object: object, paths: string[], version: string | undefined): object {
    const shape = version === undefined ? this.account.shape : shapeOf(version);
    const render = (one: object) => this.world.rendering.render(one, shape);
    const body = render(object);
    if (body.object === 'list') body.data = (body.data as object[]).map(render);
    const expansion = new Expansion(this.world, render);
    for (const path of paths) expansion.expand(body, path);
    return body;
  }

  private authorize({ authorization }: ApiRequest): void {
    const [scheme, given = ''] = (authorization ?? '').split(' ');
    const key = scheme === 'Basic' ? Buffer.from(given, 'base64').toString().split(':')[0]! : given;
    if (key === this.account.secretKey) return;
    const message = key === '' ? 'You did not provide an API key.' : `Invalid API Key provided: ${key.slice(0, 8)}***`;
    throw new Refusal(401, { type: 'invalid_request_error', message });
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function refused({ status, body }: Refusal): Answer {
  return { status, body: { error: body } };
}

function checkVersion({ version }: ApiRequest): void {
  if (version === undefined || /^\d{4}-\d\d-\d\d(\.\w+)?$/.test(version)) return;
  throw Refusal.invalid(`Invalid Stripe API version: ${version}`);
}

function unknownRoute({ method, path }: ApiRequest): Refusal {
  const message = `Unrecognized request URL (${method}: ${path}). The development Stripe knows the calls of its README.`;
  return new Refusal(404, { type: 'invalid_request_error', message });
}

/** @throws Refusal when the body is over the cap */
export async function readRequest(request: IncomingMessage): Promise<ApiRequest> {
  const { pathname, search } = new URL(request.url ?? '/', 'http://stripe');
  const header = (name: string) => request.headers[name] as string | undefined;
  return {
    method: request.method ?? '',
    path: pathname,
    query: search.slice(1),
    body: await readBody(request),
    key: header('idempotency-key'),
    authorization: header('authorization'),
    version: header('stripe-version'),
  };
}

const MAX_BYTES = 1_048_576;

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Refusal(413, { type: 'invalid_request_error', message: 'Request too large' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body, null, 2);
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
