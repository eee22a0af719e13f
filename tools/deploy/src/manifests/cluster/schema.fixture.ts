import { CONFIG, CONTAINER, HTTP, type Sample } from '../rules/sample.fixture';

/** Changes that the schemas refuse. */
export const SCHEMA_SAMPLES: Readonly<Record<'every object is as its schema says', readonly Sample[]>> = {
  'every object is as its schema says': [
    [
      /Deployment accounts-http: .*containers\[0\]\.imag is no member/,
      [HTTP, `${CONTAINER}/imag`, 'evenkeel/accounts'],
    ],
    [/Deployment accounts-http: .*\.spec\.replica is no member/, [HTTP, 'spec/replica', 2]],
    [
      /Deployment accounts-http: .*capabilities\.dorp/,
      [HTTP, `${CONTAINER}/securityContext/capabilities/dorp`, ['ALL']],
    ],
    [/Deployment accounts-http: .*minReadySeconds must be integer/, [HTTP, 'spec/minReadySeconds', 'soon']],
    [/Job accounts-migrate: .*backofLimit/, ['Job accounts-migrate', 'spec/backofLimit', 2]],
    [/Service accounts-http: .*sessionAffinty/, ['Service accounts-http', 'spec/sessionAffinty', 'None']],
    [/ConfigMap accounts-config.*: \.PORT is no/, [CONFIG, 'PORT', '1']],
    [/Ingress|HTTPRoute accounts: .*rules\[0\]\.match is no/, ['HTTPRoute accounts', 'spec/rules/0/match', []]],
    [
      /HTTPRoute accounts: .*must be equal to one of/,
      ['HTTPRoute accounts', 'spec/rules/0/matches/0/path/type', 'Prefix'],
    ],
    [/NetworkPolicy to-dns: .*\.spec\.egres is no/, ['NetworkPolicy to-dns', 'spec/egres', []]],
    [
      /PodDisruptionBudget accounts-http: .*minAvailabel/,
      ['PodDisruptionBudget accounts-http', 'spec/minAvailabel', 1],
    ],
    [
      /HorizontalPodAutoscaler accounts-http: .*must have required property maxReplicas/,
      ['HorizontalPodAutoscaler accounts-http', 'spec/maxReplicas'],
    ],
    [
      /ScaledObject accounts-worker: .*\.spec\.maxReplicas is no/,
      ['ScaledObject accounts-worker', 'spec/maxReplicas', 3],
    ],
    [
      /ServiceMonitor evenkeel: .*endpoints\[0\]\.intervall is no/,
      ['ServiceMonitor evenkeel', 'spec/endpoints/0/intervall', '5s'],
    ],
    [
      /PrometheusRule evenkeel-money: .*rules\[0\]\.annotation is no/,
      ['PrometheusRule evenkeel-money', 'spec/groups/0/rules/0/annotation', { summary: 'Lost.' }],
    ],
    [
      /PrometheusRule evenkeel-events: .*must have required property expr/,
      ['PrometheusRule evenkeel-events', 'spec/groups/0/rules/0/expr'],
    ],
    [
      /PrometheusRule evenkeel-budgets: .*groups\[0\]\.intervall is no/,
      ['PrometheusRule evenkeel-budgets', 'spec/groups/0/intervall', '1m'],
    ],
    [/Probe edge: .*\.spec\.modul is no/, ['Probe edge', 'spec/modul', 'http_2xx']],
    [/CronJob accounts-operations: .*\.spec\.suspended is no/, ['CronJob accounts-operations', 'spec/suspended', true]],
    [/apps\/v2 Deployment has no schema/, [HTTP, 'apiVersion', 'apps/v2']],
  ],
};
