export type { Logger } from 'pino';
export { createLogger, type LoggerOptions } from './create-logger';
export { AppRegistry } from './metrics/app-registry';
export { expose, type Figures, type Sample } from './metrics/figures';
export { metricsPage, processRegistry, type MetricsPage } from './metrics/metrics-page';
export { Timings } from './metrics/timings';
export { NestPinoLogger } from './nest-pino-logger';
