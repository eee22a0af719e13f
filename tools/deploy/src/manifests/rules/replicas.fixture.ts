import type { REPLICA_RULES } from './replicas';
import { CONFIG, HTTP, POD, WORKER, type SamplesOf } from './sample.fixture';

export const REPLICA_SAMPLES: SamplesOf<typeof REPLICA_RULES> = {
  'there are two of each process at least': [
    [/accounts-http: needs two/, ['HorizontalPodAutoscaler accounts-http', 'spec/minReplicas', 1]],
    [/reporting-worker: needs two/, ['Deployment reporting-worker', 'spec/replicas', 1]],
    [/accounts-worker: needs two/, ['ScaledObject accounts-worker', 'spec/minReplicaCount', 0]],
  ],
  'one pod stays when a node is emptied': [
    [/accounts-http: needs one/, ['PodDisruptionBudget accounts-http', '']],
    [/accounts-http: needs one/, ['PodDisruptionBudget accounts-http', 'spec/minAvailable', 0]],
  ],
  'pods spread over zones and nodes': [
    [/accounts-http: needs topology/, [HTTP, `${POD}/topologySpreadConstraints/0`]],
    [
      /accounts-http: needs topology/,
      [HTTP, `${POD}/topologySpreadConstraints/1/labelSelector/matchLabels/app.kubernetes.io~1component`, 'web'],
    ],
  ],
  'a rollout takes nothing away before it is replaced': [
    [/accounts-http: needs maxSurge/, [HTTP, 'spec/strategy/rollingUpdate/maxUnavailable', 1]],
    [/accounts-http: needs maxSurge/, [HTTP, 'spec/strategy']],
  ],
  'what answers is scaled by its load, and only there': [
    [/accounts-http: needs a Horizontal/, ['HorizontalPodAutoscaler accounts-http', '']],
    [/accounts-http: needs a Horizontal/, [HTTP, 'spec/replicas', 2]],
    [
      /reporting-worker: must not/,
      ['HorizontalPodAutoscaler reporting-http', 'spec/scaleTargetRef/name', 'reporting-worker'],
    ],
  ],
  'a worker is scaled only for work that more workers make faster': [
    [
      /ScaledObject accounts-worker: deliveries/,
      ['ScaledObject accounts-worker', 'spec/scaleTargetRef/name', 'reporting-worker'],
    ],
    [/ScaledObject accounts-worker: deliveries/, ['ScaledObject accounts-worker', 'spec/triggers/0/type', 'kafka']],
    [/ScaledObject accounts-worker: the Deployment/, [WORKER, 'spec/replicas', 2]],
  ],
  'there are never more workers than partitions': [
    [/accounts-worker: a stream has 12/, ['ScaledObject accounts-worker', 'spec/maxReplicaCount', 13]],
    [/reporting-worker: a stream has 12/, ['Deployment reporting-worker', 'spec/replicas', 13]],
  ],
  'REPLICA_COUNT is the greatest number of processes that answer': [
    [/accounts-http: REPLICA_COUNT must be 6/, [CONFIG, 'data/REPLICA_COUNT', '2']],
    [/accounts-http: REPLICA_COUNT must be 8/, ['HorizontalPodAutoscaler accounts-http', 'spec/maxReplicas', 8]],
  ],
  'the connections of all processes fit their database': [
    [/^accounts: its processes may open \d+ connections, its database has 195/, [CONFIG, 'data/DB_POOL_MAX', '20']],
  ],
};
