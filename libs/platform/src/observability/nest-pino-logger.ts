import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Lets Nest write its own lines into ours. Its start-up chatter, which is mere text, goes to `debug`. */
export class NestPinoLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(hasFacts(message) ? 'info' : 'debug', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /**
   * Nest passes the context last and, for errors, the stack before it. Ours pass an object: its `message` is the line, its
   * other members are beside it.
   */
  private write(
    level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace',
    message: unknown,
    rest: unknown[],
  ): void {
    const texts = rest.filter((part) => typeof part === 'string');
    const err = message instanceof Error ? message : rest.find((part) => part instanceof Error);
    const stack = texts.length > 1 ? texts[0] : undefined;
    const { message: text, ...facts } = hasFacts(message) ? message : { message: textOf(message) };
    this.logger[level]({ ...facts, context: texts.at(-1), stack, err }, text);
  }
}

function hasFacts(message: unknown): message is { message: string } {
  return isPlainObject(message) && typeof message['message'] === 'string';
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function textOf(message: unknown): string {
  return message instanceof Error ? message.message : String(message);
}
