import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Lets Nest write its own lines into ours. Its start-up chatter goes to `debug`. */
export class NestPinoLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
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

  /** Nest passes the context last and, for errors, the stack before it. */
  private write(level: 'fatal' | 'error' | 'warn' | 'debug' | 'trace', message: unknown, rest: unknown[]): void {
    const texts = rest.filter((part) => typeof part === 'string');
    const err = message instanceof Error ? message : rest.find((part) => part instanceof Error);
    const stack = texts.length > 1 ? texts[0] : undefined;
    const text = message instanceof Error ? message.message : String(message);
    this.logger[level]({ context: texts.at(-1), stack, err }, text);
  }
}
