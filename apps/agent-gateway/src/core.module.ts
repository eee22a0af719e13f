import { Clock, SystemClock } from '@evenkeel/kernel';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentGatewayConfig } from './agent-gateway.config';
import { PaymentTerms } from './challenges/payment-terms';
import { CrashPoints } from './crash-points';
import { databaseOptions } from './database';
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
        CrashPoints,
        Offers,
      ],
      exports: [AgentGatewayConfig, PaymentTerms, Clock, CrashPoints, Offers],
    };
  }
}
