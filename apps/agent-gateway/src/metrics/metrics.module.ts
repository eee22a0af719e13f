import { Global, Module } from '@nestjs/common';
import { CountOpenPayments, GatewayMetrics } from './gateway-metrics';

@Global()
@Module({ providers: [GatewayMetrics], exports: [GatewayMetrics] })
export class MetricsModule {}

/** In the worker alone, so that the open payments are counted once for all processes. */
@Module({ providers: [CountOpenPayments] })
export class OpenPaymentsModule {}
