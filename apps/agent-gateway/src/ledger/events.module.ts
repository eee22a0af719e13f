import { EventTransport } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import { RelayEvents } from './relay-events';

@Module({})
export class EventsModule {
  /** @param transport stays open when the application closes: whoever opened it closes it afterwards */
  static forRoot(transport: EventTransport): DynamicModule {
    return { module: EventsModule, providers: [RelayEvents, { provide: EventTransport, useValue: transport }] };
  }
}
