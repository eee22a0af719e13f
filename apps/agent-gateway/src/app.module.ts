import { Module } from '@nestjs/common';
import { AgentSurfaceModule } from './payments/agent-surface.module';
import { DiscoveryModule } from './discovery/discovery.module';
import { McpModule } from './mcp/mcp.module';
import { PaymentStatusModule } from './payments/payment-status.module';
import { PricingModule } from './pricing/pricing.module';
import { ReceiptKeysModule } from './receipts/receipts.module';

/** What the gateway answers over HTTP. */
@Module({
  imports: [AgentSurfaceModule, DiscoveryModule, McpModule, PricingModule, PaymentStatusModule, ReceiptKeysModule],
})
export class AppModule {}
