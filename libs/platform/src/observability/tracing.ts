import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { OTLP_TRACES_PATH } from '@evenkeel/contracts';
import type { Attributes, Context, SpanContext } from '@opentelemetry/api';
import type { BasicTracerProvider, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';

const SEND_EVERY_MS = 1_000;
/** A receiver that has not answered by then has lost the batch. */
const SEND_LIMIT_MS = 3_000;
const CLOSE_LIMIT_MS = 2_000;
/** More are dropped: the memory for traces is bounded, whatever becomes of their receiver. */
const WAITING_MOST = 2_048;

/** One step of a trace. Neither name nor attributes hold a secret, or who somebody is. */
export interface TraceSpan {
  /** The header that continues the trace elsewhere (W3C Trace Context, version 00). */
  readonly traceparent: string;
  /** @param attributes what is known only now */
  end(attributes?: Attributes, failed?: boolean): void;
}

interface SpanStart {
  kind: 'server' | 'internal' | 'producer' | 'consumer';
  /** `traceparent` of the step it belongs to; null begins a trace. */
  parent: string | null;
  /** `traceparent` of steps that it has to do with, of other traces. */
  links?: readonly string[];
  attributes?: Attributes;
  /** Default now. */
  startedAt?: Date;
}

type Packages = Awaited<ReturnType<typeof loadPackages>>;

/** Of a process: it has one tracer, whatever runs in it. Null: no traces. */
let tracing: { packages: Packages; provider: BasicTracerProvider; ratio: number } | null = null;

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
  const { BasicTracerProvider, BatchSpanProcessor, OTLPTraceExporter, resourceFromAttributes } = packages;
  const url = endpoint.replace(/\/$/, '') + OTLP_TRACES_PATH;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: SEND_LIMIT_MS, concurrencyLimit: 2 });
  const processor = new BatchSpanProcessor(tellingOutages(exporter, logger), {
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: SEND_LIMIT_MS,
    maxQueueSize: WAITING_MOST,
  });
  const resource = resourceFromAttributes({ 'service.name': service });
  tracing = { packages, provider: new BasicTracerProvider({ resource, spanProcessors: [processor] }), ratio };
}

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

export function isTracing(): boolean {
  return tracing !== null;
}

/** Before a process ends: sends what is left, for at most some seconds. Without traces it does nothing. */
export async function closeTracing(): Promise<void> {
  const left = tracing?.provider.shutdown().catch(() => undefined);
  tracing = null;
  if (left) await Promise.race([left, sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
}

const IDS = '(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]';
/** Of a later version the beginning is read, as W3C Trace Context asks. */
const TRACEPARENT = new RegExp(`^(?:00-${IDS}([0-9a-f])|(?!00|ff)[0-9a-f]{2}-${IDS}([0-9a-f])(?:-.*)?)$`);

/** Undefined for what is no `traceparent`. */
function isSampled(traceparent: string | string[] | undefined): boolean | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, flags, laterFlags] = TRACEPARENT.exec(traceparent) ?? [];
  const last = flags ?? laterFlags;
  return last === undefined ? undefined : parseInt(last, 16) % 2 === 1;
}

/** Strangers may ask for traces, but cannot have all of their calls traced. */
const ASKED_PER_SECOND = 20;
let askedSecond = 0;
let askedCount = 0;

function mayAsk(): boolean {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== askedSecond) [askedSecond, askedCount] = [second, 0];
  return ++askedCount <= ASKED_PER_SECOND;
}

/**
 * Begins the trace of a request, or continues that of its caller.
 * @param traceparent header of the request; it decides whether there is a trace, up to 20 times a second
 * @returns null without a trace, as nearly always
 */
export function beginRequest(
  name: string,
  traceparent: string | string[] | undefined,
  attributes: Attributes,
): TraceSpan | null {
  if (!tracing) return null;
  const sampled = isSampled(traceparent);
  if (sampled === undefined ? Math.random() >= tracing.ratio : !(sampled && mayAsk())) return null;
  const parent = sampled === undefined ? null : (traceparent as string);
  return opened(started(name, { kind: 'server', parent, attributes }));
}

/**
 * A step of a trace outside of its request, such as the publishing of its event. It is nobody's context.
 * @returns null where this process makes no traces, or the parent is none
 */
export function startSpan(name: string, start: SpanStart): TraceSpan | null {
  if (!tracing || (start.parent !== null && !isSampled(start.parent))) return null;
  return started(name, start);
}

/** While this process makes traces. */
function started(name: string, { kind, parent, links = [], attributes, startedAt: startTime }: SpanStart): TraceSpan {
  const { packages, provider } = tracing!;
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = packages;
  const context: Context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
  const linked = links.map((link) => ({ context: contextOf(link) }));
  const options = {
    kind: SpanKind[kind.toUpperCase() as Uppercase<typeof kind>],
    attributes,
    startTime,
    links: linked,
  };
  const span = provider.getTracer('evenkeel').startSpan(name, options, context);
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

function contextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: 1, isRemote: true };
}

/** The span of what runs now. */
const current = new AsyncLocalStorage<TraceSpan>();
let open = 0;

/**
 * While a context can be asked for, Node follows each promise of the process, which costs a paid call some per cent: so
 * only while a sampled request is open.
 */
function opened(span: TraceSpan): TraceSpan {
  open += 1;
  let ended = false;
  return {
    traceparent: span.traceparent,
    end(attributes, failed) {
      if (ended) return;
      ended = true;
      span.end(attributes, failed);
      open -= 1;
      // Callbacks of this call in the same turn still belong to it.
      if (open === 0) setImmediate(() => open === 0 && current.disable());
    },
  };
}

/** Runs something as part of a span: what it does, also later, finds the span. */
export function inSpan<Result>(span: TraceSpan | null | undefined, work: () => Result): Result {
  return span ? current.run(span, work) : work();
}

/** Runs a step of the present trace; without one it only runs it. */
export function traced<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const parent = current.getStore();
  return parent && tracing ? tracedBy(parent, name, work) : work();
}

async function tracedBy<Result>(
  { traceparent: parent }: TraceSpan,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const span = opened(started(name, { kind: 'internal', parent }));
  let failed = true;
  try {
    const result = await inSpan(span, work);
    failed = false;
    return result;
  } finally {
    span.end({}, failed);
  }
}

/** For an event that is made now; null without a trace. */
export function currentTraceparent(): string | null {
  return current.getStore()?.traceparent ?? null;
}

/** The trace members of a log line; undefined without a trace. */
export function traceFields(): { trace_id: string } | undefined {
  const traceparent = current.getStore()?.traceparent;
  return traceparent === undefined ? undefined : { trace_id: traceparent.split('-')[1]! };
}
