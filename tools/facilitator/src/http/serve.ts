import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Answer } from '../payments/payment-call';

/** A request that no handler should see: wrong address, method, size or form. */
export class HttpRefusal extends Error {
  constructor(
    private readonly status: number,
    private readonly code: string,
    message: string,
  ) {
    super(message);
  }

  get answer(): Answer {
    return { status: this.status, body: { error: this.code, message: this.message } };
  }
}

/** The reply on the wire: an answer, perhaps late; a text that is no JSON, sent as JSON; silence; a broken connection. */
export type Reply =
  | { kind: 'answer'; answer: Answer; delayMs?: number }
  | { kind: 'text'; text: string }
  | { kind: 'hang' }
  | { kind: 'reset' };

const MAX_BYTES = 131_072;

export interface HttpCall {
  body: Buffer;
  query: URLSearchParams;
}

/** Path to method to handler. */
export type Routes = Record<string, Record<string, (call: HttpCall) => Promise<Reply>>>;

/** Answers by the table of routes; whatever goes wrong is an answer in JSON. */
export function serve(routes: Routes): RequestListener {
  return (request, response) => {
    void replyTo(routes, request)
      .catch(replyToError)
      .then((what) => send(what, response));
  };
}

async function replyTo(routes: Routes, request: IncomingMessage): Promise<Reply> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://facilitator');
  const methods = Object.hasOwn(routes, pathname) ? routes[pathname]! : undefined;
  if (!methods) throw new HttpRefusal(404, 'not_found', 'no such address');
  const method = request.method ?? '';
  const handle = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!handle) throw new HttpRefusal(405, 'method_not_allowed', `use ${Object.keys(methods).join(', ')}`);
  return handle({ body: await readBody(request), query: searchParams });
}

function replyToError(error: unknown): Reply {
  if (error instanceof HttpRefusal) return reply(error.answer);
  console.error(error);
  return reply({ status: 500, body: { error: 'internal_error' } });
}

function send(what: Reply, response: ServerResponse): void {
  if (what.kind === 'hang') return;
  if (what.kind === 'reset') return void response.socket?.resetAndDestroy();
  if (what.kind === 'text') return write(response, 200, what.text);
  const { answer, delayMs } = what;
  const text = JSON.stringify(answer.body);
  if (delayMs === undefined) write(response, answer.status, text);
  else setTimeout(() => write(response, answer.status, text), delayMs).unref();
}

function write(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

export function reply(answer: Answer, delayMs?: number): Reply {
  return { kind: 'answer', answer, delayMs };
}

/** @throws HttpRefusal when the body is over the cap */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new HttpRefusal(413, 'payload_too_large', `more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @throws HttpRefusal when it is not JSON */
export function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new HttpRefusal(400, 'malformed_json', 'the body is not JSON');
  }
}
