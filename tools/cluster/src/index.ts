export { Cluster, type ClusterOptions, type Replica, type Roll } from './processes/cluster';
export { ClusterProcess, type Exit } from './processes/cluster-process';
export { readState, type ClusterState } from './control/state';
