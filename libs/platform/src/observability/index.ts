export type { Logger } from 'pino';
export { createLogger } from './create-logger';
export { AppRegistry } from './metrics-page';
export { catalogued, expose, timings } from './figures';
export { metricsPage, processRegistry, type MetricsPage } from './metrics-page';
export {
  beginRequest,
  closeTracing,
  currentTraceparent,
  inSpan,
  isTracing,
  openTracing,
  startSpan,
  traced,
  type TraceSpan,
} from './tracing';
export { NestPinoLogger } from './nest-pino-logger';
