export { readState, type ClusterMember, type ClusterState } from './control';
export {
  audited,
  different,
  reading,
  reportedOtherwise,
  subscribedOtherwise,
  wrongEffects,
  type Read,
} from './check/effects';
export { settledEffects, table, targetsOf } from './check/check';
export { addressesOf, emptyDatabases, type Addresses, type Between } from './processes/backing';
export { builtProgram } from './processes/build';
export { Cluster, type ClusterOptions, type Replica, type Roll } from './processes/cluster';
export { ClusterProcess, type Exit } from './processes/cluster-process';
export { type Purchase } from './traffic/agents';
export { WrongAnswer, type Targets } from './traffic/caller';
export { LOAD_MIX, scaledMix, STEADY_MIX, WHOLE_MIX, type Mix, type RequestKind } from './traffic/traffic';
export { Traffic, type Ending, type KindResult } from './traffic/traffic';
export { ClusterConfig } from './run-cluster';
