import type { EventTransport } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import { ProjectionModule } from './projection/projection.module';

/** What reporting does in the background. */
@Module({})
export class WorkerModule {
  static forRoot(transport: EventTransport): DynamicModule {
    return { module: WorkerModule, imports: [ProjectionModule.forRoot(transport)] };
  }
}
