export type { Logger } from 'pino';
export { createLogger, type LoggerOptions } from './create-logger';
export { AppRegistry } from './metrics-page';
export { expose, type Figures, type Sample } from './figures';
export { metricsPage, processRegistry, type MetricsPage } from './metrics-page';
export { Timings } from './figures';
export { NestPinoLogger } from './nest-pino-logger';
