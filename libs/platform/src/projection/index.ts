export { FollowStream, type FollowStreamOptions } from './follow-stream';
export { Freshness, type FreshnessReading } from './freshness';
export { COUNT_APPLIED, createProgress, dropProgress, RestartProjection, type Projection } from './projection';
export { runRebuild, type RebuildProgram } from './rebuild';
