import { ThrottlingModule } from '@evenkeel/platform/throttling';
import type { DynamicModule } from '@nestjs/common';
import type { ReportingConfig } from './reporting.config';

/** How often an address may ask. */
export function limitsOf(config: ReportingConfig): DynamicModule {
  return ThrottlingModule.forRoot(config, {
    admin: { rate: config.rates.admin, scope: 'operator' },
    discovery: { rate: config.rates.discovery, scope: 'address' },
  });
}
