export { FollowStreamModule, streamsReadiness } from './follow-stream.module';
export { FollowStream } from './follow-stream';
export { Freshness, type FreshnessReading } from './freshness';
export {
  countApplied,
  createHeartbeats,
  createProgress,
  dropHeartbeats,
  dropProgress,
  RestartProjection,
  type Projection,
} from './projection';
export { runRebuild } from './rebuild';
