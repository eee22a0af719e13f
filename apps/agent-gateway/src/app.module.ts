import { Module } from '@nestjs/common';
import { AgentSurfaceModule } from './payments/agent-surface.module';
import { DescriptorController } from './discovery/descriptor.controller';
import { DocumentsModule } from './documents/documents.module';
import { McpModule } from './mcp/mcp.module';
import { PaymentStatusModule } from './payments/payment-status.module';
import { PricingModule } from './pricing/pricing.module';
import { ReceiptKeysModule } from './receipts/receipts.module';
import { ReferenceController } from './discovery/reference.controller';
import { VectorsController } from './discovery/vectors.controller';

/** What the gateway answers over HTTP. */
@Module({
  imports: [AgentSurfaceModule, DocumentsModule, McpModule, PricingModule, PaymentStatusModule, ReceiptKeysModule],
  controllers: [DescriptorController, ReferenceController, VectorsController],
})
export class AppModule {}
