import type { Service } from '@evenkeel/platform/service';
import { AgentGatewayConfig } from './config/agent-gateway.config';
import { AppModule } from './app.module';
import { databaseOptions } from './database';
import { WorkerModule } from './worker.module';

export const AGENT_GATEWAY: Service<AgentGatewayConfig> = {
  name: 'agent-gateway',
  config: AgentGatewayConfig,
  database: databaseOptions,
  app: AppModule,
  worker: WorkerModule,
};
