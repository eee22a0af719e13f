import type { EventTransport } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import { CoreModule } from './core.module';
import { ProjectionModule } from './projection/projection.module';
import type { ReportingConfig } from './reporting.config';

/** What reporting does in the background. */
@Module({})
export class WorkerModule {
  /** A process of its own. */
  static forRoot(config: ReportingConfig, transport: EventTransport): DynamicModule {
    const { imports = [], ...beside } = WorkerModule.beside(transport);
    return { ...beside, imports: [CoreModule.forRoot(config), ...imports] };
  }

  /** In a process that has the core already. */
  static beside(transport: EventTransport): DynamicModule {
    return { module: WorkerModule, imports: [ProjectionModule.forRoot(transport)] };
  }
}
