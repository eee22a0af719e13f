export { FollowStreamModule, streamsReadiness, type FollowStreamModuleOptions } from './follow-stream.module';
export { FollowStream, type FollowStreamOptions } from './follow-stream';
export { Freshness, type FreshnessReading } from './freshness';
export {
  addProgress,
  countApplied,
  createHeartbeats,
  createProgress,
  dropHeartbeats,
  dropProgress,
  RestartProjection,
  type Projection,
} from './projection';
export { runRebuild, type RebuildProgram } from './rebuild';
