import { ThrottlingModule } from '@evenkeel/platform/throttling';
import { Logger, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { AgentGatewayConfig } from '../agent-gateway.config';
import { LedgerModule } from '../ledger/ledger.module';
import { AddressLimits } from './address-limits';
import { WalletLimit } from './wallet-limit';

/** How often a caller may ask: addresses, wallets, and the free routes. */
@Module({})
export class LimitsModule implements OnModuleInit {
  constructor(private readonly config: AgentGatewayConfig) {}

  static forRoot(config: AgentGatewayConfig): DynamicModule {
    const throttling = ThrottlingModule.forRoot({
      redisUrl: config.REDIS_URL,
      replicas: config.REPLICA_COUNT,
      trustedProxyHops: config.TRUSTED_PROXY_HOPS,
      routes: { discovery: { rate: config.rates.discovery, scope: 'address' } },
    });
    const limits = [AddressLimits, WalletLimit];
    return {
      module: LimitsModule,
      global: true,
      imports: [throttling, LedgerModule],
      providers: limits,
      exports: limits,
    };
  }

  onModuleInit(): void {
    const { NODE_ENV, RATE_LIMIT_SCALE } = this.config;
    if (NODE_ENV !== 'production' || RATE_LIMIT_SCALE === 1) return;
    new Logger('rate-limits').warn({ message: 'RATE_LIMIT_SCALE is not 1', RATE_LIMIT_SCALE });
  }
}
