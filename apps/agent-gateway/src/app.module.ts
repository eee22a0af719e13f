import { Module } from '@nestjs/common';
import { DiscoveryModule } from './discovery/discovery.module';
import { McpModule } from './mcp/mcp.module';
import { PaymentsModule } from './payments/payments.module';
import { PricingModule } from './pricing/pricing.module';

/** The HTTP half of the gateway. */
@Module({
  imports: [PricingModule, PaymentsModule, McpModule, DiscoveryModule],
})
export class AppModule {}
