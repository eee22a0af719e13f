import { STREAM_PARTITIONS } from '@evenkeel/contracts';
import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { type Cluster, type Pods, type Selector, fits, titleOf } from '../cluster';
import type { Rules } from './rule';

/** What each server of PostgreSQL must be set to (`max_connections`), or more; some are kept for its administrators. */
export const POSTGRES_CONNECTIONS = 200;
const KEPT_CONNECTIONS = 5;
/** A migration holds a lock by one connection and migrates by another; an operator may look. */
const OTHER_CONNECTIONS = 3;
/** Pools beside that of `DB_POOL_MAX`, in each process: of claims and settlements, and of sessions. */
const OWN_POOLS: Readonly<Record<string, number>> = { 'agent-gateway': 6, accounts: 2 };
/** That of the relay, which listens. */
const RELAY_CONNECTIONS = 1;

/** The work of a worker that more workers make faster, by its Deployment and the metric that says how much waits. */
const SCALED_WORK: Readonly<Record<string, string>> = { 'accounts-worker': 'evenkeel_mails_waiting' };

/** How many there are of each process. */
export const REPLICA_RULES = {
  'there are two of each process at least': (cluster) =>
    deployments(cluster).flatMap((pods) => {
      const { from } = replicasOf(cluster, pods);
      return from >= 2 ? [] : [`${pods.title}: needs two replicas or more`];
    }),

  'one pod stays when a node is emptied': (cluster) =>
    deployments(cluster).flatMap((pods) => {
      const budgets = cluster
        .all<IPodDisruptionBudget>('PodDisruptionBudget')
        .filter(({ spec }) => fits(spec?.selector as Selector, pods.labels));
      const isRight = budgets.length === 1 && budgets[0]!.spec?.minAvailable === 1;
      return isRight ? [] : [`${pods.title}: needs one PodDisruptionBudget with minAvailable 1`];
    }),

  'pods spread over zones and nodes': (cluster) =>
    deployments(cluster).flatMap(({ title, labels, spec }) => {
      const own = spec.topologySpreadConstraints?.filter(({ labelSelector }) => fits(labelSelector, labels));
      const keys = own?.map(({ topologyKey }) => topologyKey) ?? [];
      const isRight = ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].every((key) => keys.includes(key));
      return isRight ? [] : [`${title}: needs topologySpreadConstraints over zones and nodes for its own pods`];
    }),

  'a rollout takes nothing away before it is replaced': (cluster) =>
    deployments(cluster).flatMap(({ title, name }) => {
      const { maxSurge, maxUnavailable } =
        cluster.find<IDeployment>('Deployment', name)?.spec?.strategy?.rollingUpdate ?? {};
      return maxSurge === 1 && maxUnavailable === 0 ? [] : [`${title}: needs maxSurge 1, maxUnavailable 0`];
    }),

  'what answers is scaled by its load, and only there': (cluster) =>
    deployments(cluster).flatMap(({ title, name, component }) => {
      const scalers = cluster.all<IHorizontalPodAutoscaler>('HorizontalPodAutoscaler');
      const isScaled = scalers.some(({ spec }) => spec?.scaleTargetRef.name === name);
      const isFixed = cluster.find<IDeployment>('Deployment', name)?.spec?.replicas !== undefined;
      if (component !== 'http') return isScaled ? [`${title}: must not have a HorizontalPodAutoscaler`] : [];
      return isScaled && !isFixed ? [] : [`${title}: needs a HorizontalPodAutoscaler, and no replicas of its own`];
    }),

  'a worker is scaled only for work that more workers make faster': (cluster) =>
    cluster.all<IScaledObject>('ScaledObject').flatMap((scaler) => {
      const { scaleTargetRef, triggers = [] } = scaler.spec;
      const metric = SCALED_WORK[scaleTargetRef.name ?? ''];
      const isRight = triggers.every(
        ({ type, metadata }) =>
          metric !== undefined && type === 'prometheus' && String(metadata['query']).includes(metric),
      );
      const { replicas } = cluster.find<IDeployment>('Deployment', scaleTargetRef.name)?.spec ?? {};
      return [
        ...(isRight ? [] : ['deliveries of a subscription take turns, more workers wait for each other']),
        ...(replicas === undefined ? [] : ['the Deployment must not have replicas of its own']),
      ].map((sentence) => `${titleOf(scaler)}: ${sentence}`);
    }),

  'there are never more workers than partitions': (cluster) =>
    deployments(cluster)
      .filter(({ component }) => component === 'worker')
      .filter((pods) => replicasOf(cluster, pods).to > STREAM_PARTITIONS)
      .map(({ title }) => `${title}: a stream has ${STREAM_PARTITIONS} partitions`),

  'REPLICA_COUNT is the greatest number of processes that answer': (cluster) =>
    deployments(cluster)
      .filter(({ component }) => component === 'http')
      .flatMap((pods) => {
        const { to } = replicasOf(cluster, pods);
        const set = cluster.environmentOf(pods, pods.containers[0]!)['REPLICA_COUNT'];
        return set === String(to) ? [] : [`${pods.title}: REPLICA_COUNT must be ${to}`];
      }),

  'the connections of all processes fit their database': (cluster) => {
    const apps = new Set(deployments(cluster).map(({ app }) => app));
    return [...apps].flatMap((app) => {
      const processes = deployments(cluster).filter((pods) => pods.app === app);
      const used = processes.reduce((sum, pods) => sum + connectionsOf(cluster, pods), OTHER_CONNECTIONS);
      const most = POSTGRES_CONNECTIONS - KEPT_CONNECTIONS;
      return used <= most ? [] : [`${app}: its processes may open ${used} connections, its database has ${most}`];
    });
  },
} satisfies Rules;

/** Ours: the servers of trials are one of each. */
function deployments({ pods }: Cluster): Pods[] {
  return pods.filter(({ kind, component }) => kind === 'Deployment' && ['http', 'worker'].includes(component));
}

function replicasOf(cluster: Cluster, { name }: Pods): { from: number; to: number } {
  const byLoad = cluster
    .all<IHorizontalPodAutoscaler>('HorizontalPodAutoscaler')
    .find(({ spec }) => spec?.scaleTargetRef.name === name)?.spec;
  if (byLoad) return { from: byLoad.minReplicas ?? 1, to: byLoad.maxReplicas };
  const byWork = cluster.all<IScaledObject>('ScaledObject').find(({ spec }) => spec.scaleTargetRef.name === name)?.spec;
  if (byWork) return { from: byWork.minReplicaCount ?? 0, to: byWork.maxReplicaCount ?? 100 };
  const fixed = cluster.find<IDeployment>('Deployment', name)?.spec?.replicas ?? 1;
  return { from: fixed, to: fixed };
}

/** While it is rolled out there is one more. */
function connectionsOf(cluster: Cluster, pods: Pods): number {
  const pool = Number(cluster.environmentOf(pods, pods.containers[0]!)['DB_POOL_MAX'] ?? 10);
  const relay = pods.component === 'worker' ? RELAY_CONNECTIONS : 0;
  return (replicasOf(cluster, pods).to + 1) * (pool + (OWN_POOLS[pods.app] ?? 0) + relay);
}
