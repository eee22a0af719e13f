import { Clock, SystemClock } from '@evenkeel/kernel';
import { AppRegistry } from '@evenkeel/platform/observability';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Registry } from 'prom-client';
import { AgentGatewayConfig } from './config/agent-gateway.config';
import { PaymentTerms } from './config/payment-terms';
import { CrashPoints } from './config/crash-points';
import { databaseOptions } from './database';
import { GatewayMetrics } from './metrics/gateway-metrics';
import { Challenges } from './offers/challenges';
import { Offers } from './offers/offers';

/** What every feature needs: settings, time, the terms of payment and the offers, the database. */
@Global()
@Module({})
export class CoreModule {
  static forRoot(config: AgentGatewayConfig): DynamicModule {
    return {
      module: CoreModule,
      imports: [TypeOrmModule.forRoot(databaseOptions(config))],
      providers: [
        { provide: AgentGatewayConfig, useValue: config },
        { provide: PaymentTerms, useValue: config.paymentTerms },
        { provide: Clock, useClass: SystemClock },
        AppRegistry,
        { provide: Registry, useExisting: AppRegistry },
        GatewayMetrics,
        CrashPoints,
        Offers,
        Challenges,
      ],
      exports: [
        AgentGatewayConfig,
        PaymentTerms,
        Clock,
        AppRegistry,
        Registry,
        GatewayMetrics,
        CrashPoints,
        Offers,
        Challenges,
      ],
    };
  }
}
