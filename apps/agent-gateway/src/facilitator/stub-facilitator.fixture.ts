import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HeardRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Behave = (request: HeardRequest, response: ServerResponse) => void;

const answerJson =
  (status: number, body: unknown): Behave =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** A server that answers calls as the test says, and records them. */
export class StubFacilitator {
  readonly heard: HeardRequest[] = [];
  behave: Behave = answerJson(500, {});
  private readonly server = createServer((request, response) => void this.handle(request, response));

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  answers(status: number, body: unknown): void {
    this.behave = answerJson(status, body);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const heard = { method, path, headers, body: Buffer.concat(chunks).toString() };
    this.heard.push(heard);
    this.behave(heard, response);
  }
}
