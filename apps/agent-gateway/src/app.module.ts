import type { EventTransport } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import type { AgentGatewayConfig } from './config/agent-gateway.config';
import { CoreModule } from './core.module';
import { DescriptorController } from './discovery/descriptor.controller';
import { DocumentsModule } from './documents/documents.module';
import { LimitsModule } from './limits/limits.module';
import { McpModule } from './mcp/mcp.module';
import { PaymentsModule } from './payments/payments.module';
import { PricingModule } from './pricing/pricing.module';
import { ReceiptKeysController } from './receipts/receipt-keys.controller';
import { ReferenceController } from './discovery/reference.controller';
import { VectorsController } from './discovery/vectors.controller';
import { WorkerModule } from './worker.module';

/** What the gateway answers over HTTP. */
@Module({
  imports: [PaymentsModule, DocumentsModule, McpModule, PricingModule],
  controllers: [DescriptorController, ReceiptKeysController, ReferenceController, VectorsController],
})
export class AppModule {
  static forRoot(config: AgentGatewayConfig): DynamicModule {
    return { module: AppModule, imports: [CoreModule.forRoot(config), LimitsModule.forRoot(config)] };
  }

  /** The background half too, for a process that is all of the gateway. */
  static withWorker(config: AgentGatewayConfig, transport: EventTransport): DynamicModule {
    return { module: AppModule, imports: [...AppModule.forRoot(config).imports!, WorkerModule.beside(transport)] };
  }
}
