import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { OTLP_TRACES_PATH } from '@evenkeel/contracts';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}

interface SpanIds {
  traceId: string;
  spanId: string;
}

export interface ReceivedSpan extends SpanIds {
  parentSpanId?: string;
  name: string;
  status: { code: number };
  /** Name of the process. */
  service: string;
  attributes: Record<string, string | number | undefined>;
  links: SpanIds[];
}

type SentSpan = Omit<ReceivedSpan, 'attributes' | 'links'> & { attributes: Attribute[]; links?: SpanIds[] };

interface SentTraces {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[];
}

/** Takes traces by OTLP over HTTP, as a collector does, and keeps them. */
export class TraceReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Batches that came, whatever became of them. */
  requests = 0;
  /** `hangs` never answers; `refuses` says 400, which is not tried again. */
  mode: 'takes' | 'hangs' | 'refuses' = 'takes';
  private readonly server: Server = createServer((request, response) => void this.take(request, response));

  static async start(): Promise<TraceReceiver> {
    const receiver = new TraceReceiver();
    await once(receiver.server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  of(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = (await json(request)) as SentTraces;
    this.requests += 1;
    if (this.mode === 'hangs') return;
    const isTaken = this.mode === 'takes' && request.url === OTLP_TRACES_PATH;
    if (isTaken) this.spans.push(...sent.resourceSpans.flatMap(spansIn));
    response.writeHead(isTaken ? 200 : 400, { 'content-type': 'application/json' }).end('{}');
  }
}

function spansIn({ resource, scopeSpans }: SentTraces['resourceSpans'][number]): ReceivedSpan[] {
  const service = String(valuesOf(resource.attributes)['service.name']);
  const spans = scopeSpans.flatMap((scope) => scope.spans);
  return spans.map((span) => ({ ...span, service, attributes: valuesOf(span.attributes), links: span.links ?? [] }));
}

function valuesOf(attributes: readonly Attribute[]): ReceivedSpan['attributes'] {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}
