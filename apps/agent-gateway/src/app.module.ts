import { Module } from '@nestjs/common';
import { DiscoveryModule } from './discovery/discovery.module';
import { McpModule } from './mcp/mcp.module';
import { PaymentsModule } from './payments/payments.module';
import { PricingModule } from './pricing/pricing.module';
import { ReceiptKeysModule } from './receipts/receipts.module';

/** What the gateway answers over HTTP. */
@Module({
  imports: [PricingModule, PaymentsModule, McpModule, DiscoveryModule, ReceiptKeysModule],
})
export class AppModule {}
