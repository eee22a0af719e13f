import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { HTTP_CONVENTIONS } from '@evenkeel/contracts';
import type { Type } from '@nestjs/common';
import pino from 'pino';
import { createHttpApp } from './create-http-app';
import type { HttpOptions } from './http-options';
import { requestHandler, serve, type ListenOptions, type RunningHttp } from './run-http';

/** With the conventions of the product, as its services have them. */
export const someHttpOptions = (over: Partial<HttpOptions> = {}): HttpOptions => ({
  ...HTTP_CONVENTIONS,
  logger: pino({ level: 'silent' }),
  maxBodyBytes: 1_024,
  publicBaseUrl: 'https://api.example',
  ...over,
});

export const anyFreePorts = (over: Partial<ListenOptions> = {}): ListenOptions => ({
  port: 0,
  host: '127.0.0.1',
  internalPort: 0,
  readiness: () => Promise.resolve({}),
  logger: pino({ level: 'silent' }),
  ...over,
});

/** A module over HTTP, on a free port. */
export async function startApp(module: Type, over: Partial<HttpOptions> = {}): Promise<RunningHttp> {
  const app = await createHttpApp(module, someHttpOptions(over));
  return serve(await requestHandler(app), anyFreePorts(), () => app.close());
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json: () => { error: string; message: string; details?: Record<string, unknown> };
}

/** A request as it is written, without a client's corrections. */
export function send(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: Buffer | string } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const path = url.slice(url.indexOf('/', 'http://'.length));
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ hostname, port, path, method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const json = () => JSON.parse(text) as ReturnType<Answer['json']>;
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/**
 * Raw bytes over a socket: everything that comes back until the other side closes.
 * @param thenEnd closes our own direction after the bytes, and goes on listening
 */
export function sendBytes(url: string, bytes: string, { thenEnd = false } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => (thenEnd ? socket.end(bytes) : socket.write(bytes)));
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}
