import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { HttpRefusal } from './http-refusal';
import { readBody } from './read-body';
import { reply, type Reply } from './reply';

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
