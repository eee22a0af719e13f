import { Module } from '@nestjs/common';
import { DiscoveryModule } from './discovery/discovery.module';
import { McpModule } from './mcp/mcp.module';
import { PaymentsModule } from './payments/payments.module';
import { PricingModule } from './pricing/pricing.module';
import { ReceiptKeysModule } from './receipts/receipts.module';

/** The HTTP half of the gateway. */
@Module({
  imports: [PricingModule, PaymentsModule, McpModule, DiscoveryModule, ReceiptKeysModule],
})
export class AppModule {}
