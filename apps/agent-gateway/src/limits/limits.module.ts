import { ThrottlingModule } from '@evenkeel/platform/auth';
import { Module, type DynamicModule } from '@nestjs/common';
import type { AgentGatewayConfig } from '../config/agent-gateway.config';
import { LedgerModule } from '../ledger/ledger.module';
import { AddressLimits, WalletLimit, PaymentRepeats } from './caller-limits';

const limits = [AddressLimits, WalletLimit, PaymentRepeats];

/** How often a caller may call: limits of addresses, of wallets and of the free routes. */
@Module({ providers: limits, exports: limits })
export class LimitsModule {
  static forRoot(config: AgentGatewayConfig): DynamicModule {
    const routes = { discovery: { rate: config.rates.discovery, scope: 'address' } } as const;
    const imports = [ThrottlingModule.forRoot(config, routes), LedgerModule];
    return { module: LimitsModule, global: true, imports };
  }
}
