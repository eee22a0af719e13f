import { EventTransport } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';

@Module({})
export class ProjectionModule {
  /** @param transport stays open when the application closes: whoever opened it closes it afterwards */
  static forRoot(transport: EventTransport): DynamicModule {
    return { module: ProjectionModule, providers: [{ provide: EventTransport, useValue: transport }] };
  }
}
