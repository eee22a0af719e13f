import { Module } from '@nestjs/common';
import { AgentSurfaceModule } from '../payments/agent-surface.module';
import { PaymentStatusModule } from '../payments/payment-status.module';
import { PricingModule } from '../pricing/pricing.module';
import { CheckInput } from './check-input';
import { Door } from './door';
import { FreeTools } from './free-tools';
import { ListOffers } from './list-offers';
import { McpController } from './mcp.controller';
import { McpServer } from './mcp-server';
import { PaidTools } from './paid-tools';
import { PaymentStatusTool } from './payment-status-tool';
import { ServerCardController } from './server-card.controller';
import { ToolOffers } from './tool-offers';
import { Tools } from './tools';

/** The paid calls once more, as tools of the Model Context Protocol. */
@Module({
  imports: [AgentSurfaceModule, PaymentStatusModule, PricingModule],
  controllers: [McpController, ServerCardController],
  providers: [CheckInput, Door, FreeTools, ListOffers, McpServer, PaidTools, PaymentStatusTool, ToolOffers, Tools],
})
export class McpModule {}
