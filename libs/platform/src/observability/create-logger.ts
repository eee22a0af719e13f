import { createHash } from 'node:crypto';
import { isNativeError } from 'node:util/types';
import pino, { type DestinationStream, type Logger } from 'pino';
import { redacted } from '../config/secrets';
import { traceFields } from './tracing';

/** Never written, at the top of a line and one level down. Header names as Node lower-cases them. */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'set-cookie',
  'password',
  'token',
  'refresh_token',
  'refreshToken',
  'access_token',
  'accessToken',
  'secret',
  'note',
  'email',
];

const UNTRACED = {};

export interface LoggerOptions {
  /** Least severe level that is written; `silent` writes nothing. Default `info`. */
  level?: string;
  /** Fields that are never written either, such as headers of the product, in lower case. */
  secretFields?: readonly string[];
  /** Where the lines go; standard output by default. */
  destination?: DestinationStream;
}

/**
 * A logger of JSON lines with `level`, `time`, `service` and `message`. Secrets are redacted, those of the settings in any
 * text, and e-mail addresses are hashed. Lines to standard output are buffered for at most a fifth of a second and written
 * when the process ends.
 */
export function createLogger(
  service: string,
  { level = 'info', secretFields = [], destination }: LoggerOptions = {},
): Logger {
  return pino(
    {
      level,
      base: { service },
      messageKey: 'message',
      timestamp: timeField,
      mixin: () => traceFields() ?? UNTRACED,
      // A line without a trace is not copied for nothing.
      mixinMergeStrategy: (line, fields) => (fields === UNTRACED ? line : { ...fields, ...line }),
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, error: describeError },
      redact: {
        paths: [...SECRET_FIELDS, ...secretFields].flatMap((name) => [`["${name}"]`, `*["${name}"]`]),
        censor: (value: unknown, path: string[]) => (path.at(-1) === 'email' ? hashed(value) : '[redacted]'),
      },
    },
    destination
      ? { write: (line: string) => destination.write(redacted(line)) }
      : (standardOutput ??= new BufferedOutput()),
  );
}

let formattedMs = 0;
let formatted = '';

/** As pino writes it, but formatted once for all lines of a millisecond. */
function timeField(): string {
  const nowMs = Date.now();
  if (nowMs !== formattedMs) {
    formattedMs = nowMs;
    formatted = `,"time":"${new Date(nowMs).toISOString()}"`;
  }
  return formatted;
}

/** Equal addresses stay recognisable as equal, without being readable. */
function hashed(value: unknown): string {
  return `sha256:${createHash('sha256').update(String(value).trim().toLowerCase()).digest('hex').slice(0, 12)}`;
}

const FLUSH_AFTER_MS = 200;
const BLOCK_CHARACTERS = 32_768;

/**
 * Standard output, written a block at a time: at most a fifth of a second late, and whole when the process ends. The lines
 * are gathered here because pino's own buffer measures all it holds with every line.
 */
class BufferedOutput implements DestinationStream {
  // Larger than a block: it writes on `flush` alone, so that no write is under way when the process ends.
  private readonly output = pino.destination({
    dest: 1,
    sync: false,
    minLength: 8 * BLOCK_CHARACTERS,
    maxWrite: 16 * BLOCK_CHARACTERS,
  });
  private lines = '';
  private unwrittenBytes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor() {
    this.output.on('write', (bytes) => (this.unwrittenBytes -= bytes));
    process.on('exit', () => {
      this.pass();
      this.output.flushSync();
    });
  }

  write(line: string): void {
    this.lines += line;
    if (this.lines.length > BLOCK_CHARACTERS) this.flush();
    this.flushSoon();
  }

  private flush(): void {
    this.pass();
    this.output.flush();
  }

  /** A flush does nothing while a block is being written, so another one follows as long as something is left. */
  private flushSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.lines === '' && this.unwrittenBytes === 0) return;
      this.flush();
      this.flushSoon();
    }, FLUSH_AFTER_MS).unref();
  }

  private pass(): void {
    if (this.lines === '') return;
    // In every field: a driver may put an address with its key into any text.
    const text = redacted(this.lines);
    this.lines = '';
    this.unwrittenBytes += Buffer.byteLength(text);
    this.output.write(text);
  }
}

/** One for all loggers of the process. */
let standardOutput: BufferedOutput | undefined;

const CAUSES_MAX = 3;

/**
 * What a log line has of an error: type, message, code, stack and causes. Other properties are left out, because
 * drivers add statements and their parameters.
 */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error || isNativeError(error))) return { type: typeof error };
  const code = (error as { code?: unknown }).code;
  return {
    type: error.constructor.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    stack: error.stack,
    ...(error.cause !== undefined && depth < CAUSES_MAX && { cause: describeError(error.cause, depth + 1) }),
  };
}
