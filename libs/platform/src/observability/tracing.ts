import { AsyncLocalStorage } from 'node:async_hooks';

type TraceAttributes = Readonly<Record<string, string | number>>;

/** One step of a trace. Neither name nor attributes hold a secret, or who somebody is. */
export interface TraceSpan {
  /** The header that continues the trace elsewhere (W3C Trace Context, version 00). */
  readonly traceparent: string;
  /** @param attributes what is known only now */
  end(attributes?: TraceAttributes, failed?: boolean): void;
}

export interface SpanStart {
  kind: 'server' | 'internal' | 'producer' | 'consumer';
  /** `traceparent` of the step it belongs to; null begins a trace. */
  parent: string | null;
  /** `traceparent` of steps that it has to do with, of other traces. */
  links?: readonly string[];
  attributes?: TraceAttributes;
  /** Default now. */
  startedAt?: Date;
}

/** Makes spans, and sends them when they have ended. Neither ever fails. */
export interface SpanSource {
  start(name: string, start: SpanStart): TraceSpan;
  /** Sends what is left, for at most some seconds. */
  close(): Promise<void>;
}

/** Of a process: it has one tracer, whatever runs in it. Null: no traces. */
let source: SpanSource | null = null;
let sampleRatio = 0;

/** @param ratio part of the requests that are traced, where their caller does not say: 0 to 1 */
export function traceWith(spans: SpanSource, ratio: number): void {
  source = spans;
  sampleRatio = ratio;
}

export function isTracing(): boolean {
  return source !== null;
}

/** Before a process ends; without traces it does nothing. */
export async function closeTracing(): Promise<void> {
  const closing = source;
  source = null;
  await closing?.close();
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
  attributes: TraceAttributes,
): TraceSpan | null {
  if (!source) return null;
  const sampled = isSampled(traceparent);
  if (sampled === undefined ? Math.random() >= sampleRatio : !(sampled && mayAsk())) return null;
  const parent = sampled === undefined ? null : (traceparent as string);
  return opened(source.start(name, { kind: 'server', parent, attributes }));
}

/**
 * A step of a trace outside of its request, such as the publishing of its event. It is nobody's context.
 * @returns null where this process makes no traces, or the parent is none
 */
export function startSpan(name: string, start: SpanStart): TraceSpan | null {
  if (!source || (start.parent !== null && !isSampled(start.parent))) return null;
  return source.start(name, start);
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
  return parent && source ? tracedBy(source, parent, name, work) : work();
}

async function tracedBy<Result>(
  spans: SpanSource,
  { traceparent: parent }: TraceSpan,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const span = opened(spans.start(name, { kind: 'internal', parent }));
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
