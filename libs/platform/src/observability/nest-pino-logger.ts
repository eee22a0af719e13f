import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** Lets Nest write its own lines into ours. Its start-up chatter, which is mere text, goes to `debug`. */
export class NestPinoLogger implements LoggerService {
  readonly log = this.writer((message) => (hasFacts(message) ? 'info' : 'debug'));
  readonly fatal = this.writer(() => 'fatal');
  readonly error = this.writer(() => 'error');
  readonly warn = this.writer(() => 'warn');
  readonly debug = this.writer(() => 'debug');
  readonly verbose = this.writer(() => 'trace');

  constructor(private readonly logger: Logger) {}

  /**
   * Nest passes the context last and, for errors, the stack before it. Ours pass an object: its `message` is the line, its
   * other members are beside it.
   */
  private writer(levelOf: (message: unknown) => Level) {
    return (message: unknown, ...rest: unknown[]): void => {
      const texts = rest.filter((part) => typeof part === 'string');
      const err = message instanceof Error ? message : rest.find((part) => part instanceof Error);
      const stack = texts.length > 1 ? texts[0] : undefined;
      const { message: text, ...facts } = hasFacts(message) ? message : { message: textOf(message) };
      this.logger[levelOf(message)]({ ...facts, context: texts.at(-1), stack, err }, text);
    };
  }
}

function hasFacts(message: unknown): message is { message: string } {
  if (typeof message !== 'object' || message === null) return false;
  const { message: text } = message as { message?: unknown };
  return Object.getPrototypeOf(message) === Object.prototype && typeof text === 'string';
}

function textOf(message: unknown): string {
  return message instanceof Error ? message.message : String(message);
}
