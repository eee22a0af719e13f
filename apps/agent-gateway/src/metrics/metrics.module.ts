import { Module } from '@nestjs/common';
import { CountOpenPayments } from './gateway-metrics';

/** In the worker alone, so that the open payments are counted once for all processes. */
@Module({ providers: [CountOpenPayments] })
export class OpenPaymentsModule {}
