import { createHash } from 'node:crypto';
import pino, { type DestinationStream, type Logger } from 'pino';
import { redacted } from '../config/redact';
import { BufferedOutput } from './buffered-output';
import { describeError } from './describe-error';

/** Never written, at the top of a line and one level down. Header names as Node lower-cases them. */
const SECRETS = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-payment',
  'payment-signature',
  'x-agent-credit',
  'x-admin-token',
  'stripe-signature',
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

export interface LoggerOptions {
  /** Least severe level that is written; `silent` writes nothing. Default `info`. */
  level?: string;
  /** Where the lines go; standard output by default. */
  destination?: DestinationStream;
}

/**
 * JSON lines with `level`, `time`, `service`, `message`; secrets are cut, those of the settings wherever they stand, and
 * e-mail addresses hashed. Lines to standard
 * output are buffered for at most a fifth of a second and written out when the process ends.
 */
export function createLogger(service: string, { level = 'info', destination }: LoggerOptions = {}): Logger {
  const output = destination ?? new BufferedOutput();
  return pino(
    {
      level,
      base: { service },
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, error: describeError },
      redact: {
        paths: SECRETS.flatMap((name) => [`["${name}"]`, `*["${name}"]`]),
        censor: (value: unknown, path: string[]) => (path.at(-1) === 'email' ? hashed(value) : '[redacted]'),
      },
    },
    // Whatever the field: a driver may put an address with its key into any text.
    { write: (line: string) => output.write(redacted(line)) },
  );
}

/** Equal addresses stay recognisable as equal, without being readable. */
function hashed(value: unknown): string {
  return `sha256:${createHash('sha256').update(String(value).trim().toLowerCase()).digest('hex').slice(0, 12)}`;
}
