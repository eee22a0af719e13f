import { Module, type DynamicModule } from '@nestjs/common';
import type { AgentGatewayConfig } from './agent-gateway.config';
import { AgentSurfaceModule } from './agent-surface/agent-surface.module';
import { CoreModule } from './core.module';
import { DescriptorController } from './descriptor/descriptor.controller';
import { LimitsModule } from './limits/limits.module';
import { WorkerModule } from './worker.module';

/** What the gateway answers over HTTP. */
@Module({ imports: [AgentSurfaceModule], controllers: [DescriptorController] })
export class AppModule {
  static forRoot(config: AgentGatewayConfig): DynamicModule {
    return { module: AppModule, imports: [CoreModule.forRoot(config), LimitsModule.forRoot(config)] };
  }

  /** The background half too, for a process that is all of the gateway. */
  static withWorker(config: AgentGatewayConfig): DynamicModule {
    return { module: AppModule, imports: [CoreModule.forRoot(config), LimitsModule.forRoot(config), WorkerModule] };
  }
}
