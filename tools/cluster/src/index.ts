export { readState, type ClusterState } from './control/state';
export { wrongEffects } from './check/effects';
export { targetsOf } from './check/check';
export { Cluster, type ClusterOptions, type Replica, type Roll } from './processes/cluster';
export { ClusterProcess, type Exit } from './processes/cluster-process';
export type { Targets } from './traffic/caller';
export { LOAD_MIX, REQUEST_KINDS, scaledMix, STEADY_MIX, type Mix, type RequestKind } from './traffic/mix';
export { Traffic, type KindResult } from './traffic/traffic';
