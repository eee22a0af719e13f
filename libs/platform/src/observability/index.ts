export type { Logger } from 'pino';
export { createLogger, type LoggerOptions } from './create-logger';
export { describeError } from './describe-error';
export { NestPinoLogger } from './nest-pino-logger';
