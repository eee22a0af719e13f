import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LogQuery {
  from: number;
  to: number;
}

interface RpcCall {
  method: string;
  params: [{ fromBlock: string; toBlock: string }];
}

/** Passes everything on to a node, and remembers which blocks were asked for logs. */
export class RecordedRpc {
  private queries: LogQuery[] = [];
  private readonly server = createServer((request, response) => void this.passOn(request, response));

  constructor(private readonly nodeUrl: () => string) {}

  /** @returns its address */
  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Each range once, in order, since the last time. */
  taken(): LogQuery[] {
    const ranges = new Map(this.queries.map((query) => [query.from, query]));
    this.queries = [];
    return [...ranges.values()].toSorted((one, other) => one.from - other.from);
  }

  private async passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const calls = [JSON.parse(body) as RpcCall | RpcCall[]].flat();
    this.record(calls);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(this.nodeUrl(), { method: 'POST', headers, body });
    response.writeHead(answer.status, headers).end(await answer.text());
  }

  private record(calls: RpcCall[]): void {
    for (const { method, params } of calls) {
      if (method !== 'eth_getLogs') continue;
      this.queries.push({ from: Number(params[0].fromBlock), to: Number(params[0].toBlock) });
    }
  }
}
