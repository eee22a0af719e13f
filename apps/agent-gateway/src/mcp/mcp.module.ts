import { Module } from '@nestjs/common';
import { PaymentsModule } from '../payments/payments.module';
import { PricingModule } from '../pricing/pricing.module';
import { FreeTools } from './free-tools';
import { McpServer, ToolList } from './mcp-server';
import { McpController } from './mcp.controller';
import { PaidTools, ToolOffers } from './paid-tools';

/** The paid calls as tools of the Model Context Protocol. */
@Module({
  imports: [PaymentsModule, PricingModule],
  controllers: [McpController],
  providers: [FreeTools, McpServer, PaidTools, ToolOffers, ToolList],
})
export class McpModule {}
