import { ThrottlingModule } from '@evenkeel/platform/throttling';
import { Logger, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { ReportingConfig } from '../reporting.config';

/** How often an address may ask. */
@Module({})
export class LimitsModule implements OnModuleInit {
  constructor(private readonly config: ReportingConfig) {}

  static forRoot(config: ReportingConfig): DynamicModule {
    const throttling = ThrottlingModule.forRoot({
      redisUrl: config.REDIS_URL,
      replicas: config.REPLICA_COUNT,
      trustedProxyHops: config.TRUSTED_PROXY_HOPS,
      routes: {
        admin: { rate: config.rates.admin, scope: 'operator' },
        discovery: { rate: config.rates.discovery, scope: 'address' },
      },
    });
    return { module: LimitsModule, imports: [throttling] };
  }

  onModuleInit(): void {
    const { NODE_ENV, RATE_LIMIT_SCALE } = this.config;
    if (NODE_ENV !== 'production' || RATE_LIMIT_SCALE === 1) return;
    new Logger('rate-limits').warn({ message: 'RATE_LIMIT_SCALE is not 1', RATE_LIMIT_SCALE });
  }
}
