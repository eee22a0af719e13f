import { EventTransport } from '@evenkeel/platform/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import { BeginAnew } from './begin-anew';
import { ExposeProjection } from './expose-projection';
import { FollowStream } from './follow-stream';
import { ProjectLedger } from './project-ledger.consumer';
import { WatchProgress } from './watch-progress';

@Module({})
export class ProjectionModule {
  /** @param transport stays open when the application closes: whoever opened it closes it afterwards */
  static forRoot(transport: EventTransport): DynamicModule {
    const given = { provide: EventTransport, useValue: transport };
    const providers = [FollowStream, ProjectLedger, WatchProgress, BeginAnew, ExposeProjection, given];
    return { module: ProjectionModule, providers };
  }
}
