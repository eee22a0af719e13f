export type { Logger } from 'pino';
export { createLogger, type LoggerOptions } from './create-logger';
export { AppRegistry } from './metrics-page';
export { catalogued, expose, timings, type Sample, type Samples } from './figures';
export { metricsPage, processRegistry, type MetricsPage } from './metrics-page';
export { openTracing, type TraceSettings } from './otlp-spans';
export {
  beginRequest,
  closeTracing,
  currentTraceparent,
  inSpan,
  isTracing,
  startSpan,
  traced,
  type TraceSpan,
} from './tracing';
export { NestPinoLogger } from './nest-pino-logger';
