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

interface LoggerOptions {
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
  const lines = destination ?? (standardOutput ??= openStandardOutput());
  return pino(
    {
      level,
      base: { service },
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: () => ({ ...traceFields() }),
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, error: describeError },
      redact: {
        paths: [...SECRET_FIELDS, ...secretFields].flatMap((name) => [`["${name}"]`, `*["${name}"]`]),
        censor: (value: unknown, path: string[]) => (path.at(-1) === 'email' ? hashed(value) : '[redacted]'),
      },
    },
    { write: (line: string) => void lines.write(redacted(line)) },
  );
}

/** Equal addresses stay recognisable as equal, without being readable. */
function hashed(value: unknown): string {
  return `sha256:${createHash('sha256').update(String(value).trim().toLowerCase()).digest('hex').slice(0, 12)}`;
}

/** One for all loggers of the process. */
let standardOutput: DestinationStream | undefined;

/** Written a block at a time: at most a fifth of a second late, and whole when the process ends. */
function openStandardOutput(): DestinationStream {
  // Synchronous, so that no write is under way when the process ends.
  const output = pino.destination({ dest: 1, sync: true, minLength: 4_096, periodicFlush: 200 });
  process.on('exit', () => output.flushSync());
  return output;
}

const CAUSES_MAX = 3;

/**
 * The members of an error in a log line: type, message, code, stack and causes. Other properties are left out, because
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
