export type { Logger } from 'pino';
export { createLogger, type LoggerOptions } from './create-logger';
export { NestPinoLogger } from './nest-pino-logger';
