import { loadConfig, type Environment } from '@evenkeel/platform/config';
import { coreModule } from '@evenkeel/platform/service';
import type { DynamicModule, Type } from '@nestjs/common';
import { BillingConfig } from './billing.config';
import { BILLING } from './service';

class OperatorModule {}

/** The service as far as a command of an operator needs it: no listener, no worker. */
export function operatorModule(env: Environment, commands: Type): DynamicModule {
  const config = loadConfig(BillingConfig, env);
  return { module: OperatorModule, imports: [coreModule(BILLING, config), commands] };
}
