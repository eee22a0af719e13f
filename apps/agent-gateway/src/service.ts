import { HTTP_CONVENTIONS } from '@evenkeel/contracts';
import type { Service } from '@evenkeel/platform/service';
import { AppModule } from './app.module';
import type { AgentGatewayConfig } from './config/agent-gateway.config';
import { CORE } from './core';
import { LimitsModule } from './limits/limits.module';
import { WorkerModule } from './worker.module';

export const AGENT_GATEWAY: Service<AgentGatewayConfig> = {
  ...CORE,
  http: HTTP_CONVENTIONS,
  app: AppModule,
  appModules: (config) => [LimitsModule.forRoot(config)],
  worker: WorkerModule,
};
