import { once } from 'node:events';
import { createServer } from 'node:http';
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

  private constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  static async before(nodeUrl: () => string): Promise<RecordedRpc> {
    let recorded: RecordedRpc;
    const server = createServer((request, response) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
        const body = Buffer.concat(chunks).toString();
        recorded.record([JSON.parse(body) as RpcCall | RpcCall[]].flat());
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(nodeUrl(), { method: 'POST', headers, body });
        response.writeHead(answer.status, headers).end(await answer.text());
      })();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    recorded = new RecordedRpc(`http://127.0.0.1:${port}`, async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    return recorded;
  }

  /** Each range once, in order, since the last time. */
  taken(): LogQuery[] {
    const ranges = new Map(this.queries.map((query) => [query.from, query]));
    this.queries = [];
    return [...ranges.values()].toSorted((one, other) => one.from - other.from);
  }

  private record(calls: RpcCall[]): void {
    for (const { method, params } of calls) {
      if (method !== 'eth_getLogs') continue;
      this.queries.push({ from: Number(params[0].fromBlock), to: Number(params[0].toBlock) });
    }
  }
}
