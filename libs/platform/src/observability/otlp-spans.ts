import { setTimeout as sleep } from 'node:timers/promises';
import { OTLP_TRACES_PATH } from '@evenkeel/contracts';
import type { SpanContext, Tracer } from '@opentelemetry/api';
import type { BasicTracerProvider, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import { traceWith, type SpanSource, type SpanStart, type TraceSpan } from './tracing';

const SEND_EVERY_MS = 1_000;
/** A receiver that has not answered by then has lost the batch. */
const SEND_LIMIT_MS = 3_000;
const CLOSE_LIMIT_MS = 2_000;
/** More are dropped: the memory for traces is bounded, whatever becomes of their receiver. */
const WAITING_MOST = 2_048;

const KINDS = { server: 'SERVER', internal: 'INTERNAL', producer: 'PRODUCER', consumer: 'CONSUMER' } as const;

interface TraceSettings {
  /** Base address of a receiver of OTLP over HTTP. */
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  /** Part of the requests that are traced, where their caller does not say: 0 to 1. */
  TRACE_SAMPLE_RATIO: number;
}

/**
 * Has this process make traces, when its settings name a receiver. Call it before the application is made, and
 * `closeTracing` after its end.
 * @param service name of the process
 */
export async function openTracing(settings: TraceSettings, service: string, logger: Logger): Promise<void> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TRACE_SAMPLE_RATIO: ratio } = settings;
  if (endpoint === undefined) return;
  const packages = await loadPackages();
  traceWith(new OtlpSpans(packages, providerOf(packages, endpoint, service, logger)), ratio);
}

type Packages = Awaited<ReturnType<typeof loadPackages>>;

/** Only where there is a receiver: the others start without them. */
async function loadPackages() {
  const [api, exporters, resources, sdk] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-base'),
  ]);
  return { ...api, ...exporters, ...resources, ...sdk };
}

function providerOf(packages: Packages, endpoint: string, service: string, logger: Logger): BasicTracerProvider {
  const { BasicTracerProvider, BatchSpanProcessor, OTLPTraceExporter, resourceFromAttributes } = packages;
  const url = endpoint.replace(/\/$/, '') + OTLP_TRACES_PATH;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: SEND_LIMIT_MS, concurrencyLimit: 2 });
  const processor = new BatchSpanProcessor(tellingOutages(exporter, logger), {
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: SEND_LIMIT_MS,
    maxQueueSize: WAITING_MOST,
  });
  const resource = resourceFromAttributes({ 'service.name': service });
  return new BasicTracerProvider({ resource, spanProcessors: [processor] });
}

class OtlpSpans implements SpanSource {
  private readonly tracer: Tracer;

  constructor(
    private readonly packages: Packages,
    private readonly provider: BasicTracerProvider,
  ) {
    this.tracer = provider.getTracer('evenkeel');
  }

  start(name: string, { kind, parent, links = [], attributes, startedAt }: SpanStart): TraceSpan {
    const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = this.packages;
    const options = {
      kind: SpanKind[KINDS[kind]],
      attributes,
      startTime: startedAt,
      links: links.map((link) => ({ context: contextOf(link) })),
    };
    const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
    const span = this.tracer.startSpan(name, options, context);
    const { traceId, spanId } = span.spanContext();
    return {
      traceparent: `00-${traceId}-${spanId}-01`,
      end(ending = {}, failed = false) {
        span.setAttributes(ending);
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  async close(): Promise<void> {
    const left = this.provider.shutdown().catch(() => undefined);
    await Promise.race([left, sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
  }
}

function contextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: 1, isRemote: true };
}

/** One warning when spans are lost, and one line when they arrive again. */
function tellingOutages(exporter: SpanExporter, logger: Logger): SpanExporter {
  let isLosing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = (result.code as number) !== 0;
        if (failed && !isLosing) logger.warn({ err: result.error }, 'traces cannot be sent and are dropped');
        if (!failed && isLosing) logger.info('traces are sent again');
        isLosing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
