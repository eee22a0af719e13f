import type { REFERENCE_RULES } from './references';
import { CONFIG, CONTAINER, HTTP, POD, type SamplesOf } from './sample.fixture';

export const REFERENCE_SAMPLES: SamplesOf<typeof REFERENCE_RULES> = {
  'what a pod refers to exists': [
    [
      /the ConfigMap accounts-settings is missing/,
      [HTTP, `${CONTAINER}/envFrom/0/configMapRef/name`, 'accounts-settings'],
    ],
    [/the Secret account-secrets is missing/, [HTTP, `${POD}/volumes/0/secret/secretName`, 'account-secrets']],
    [/the ServiceAccount accounts is missing/, [HTTP, `${POD}/serviceAccountName`, 'accounts']],
    [
      /the PersistentVolumeClaim data is missing/,
      [HTTP, `${POD}/volumes/1`, { name: 'tmp', persistentVolumeClaim: { claimName: 'data' } }],
    ],
    [/the volume temp is missing/, [HTTP, `${CONTAINER}/volumeMounts/1/name`, 'temp']],
    [/the ServiceAccount accounts-service is missing/, ['ServiceAccount accounts-service', '']],
  ],
  'what an edge, a scaler or a monitor refers to exists': [
    ['prod', /Ingress edge: the Secret certificate/, ['Ingress edge', 'spec/tls/0/secretName', 'certificate']],
    ['prod', /Ingress edge: the Service accounts/, ['Service accounts-http', '']],

    [
      /HTTPRoute accounts: the Service account-http/,
      ['HTTPRoute accounts', 'spec/rules/0/backendRefs/0/name', 'account-http'],
    ],
    [
      /HTTPRoute accounts: the Service accounts-http with the port 81/,
      ['HTTPRoute accounts', 'spec/rules/0/backendRefs/0/port', 81],
    ],
    [
      /HorizontalPodAutoscaler billing-http: the Deployment billing is/,
      ['HorizontalPodAutoscaler billing-http', 'spec/scaleTargetRef/name', 'billing'],
    ],
    [
      /ScaledObject accounts-worker: the Deployment workers is/,
      ['ScaledObject accounts-worker', 'spec/scaleTargetRef/name', 'workers'],
    ],
    [
      /ServiceMonitor evenkeel: no Service that it selects has the port metrics/,
      ['ServiceMonitor evenkeel', 'spec/endpoints/0/port', 'metrics'],
    ],
    [
      /ServiceMonitor evenkeel: no Service/,
      ['ServiceMonitor evenkeel', 'spec/selector/matchLabels/app.kubernetes.io~1part-of', 'loopkeel'],
    ],
  ],
  'what selects pods selects some': [
    [
      /Service accounts-http: it selects no pods/,
      ['Service accounts-http', 'spec/selector/app.kubernetes.io~1component', 'web'],
    ],
    [
      /PodDisruptionBudget accounts-http: /,
      ['PodDisruptionBudget accounts-http', 'spec/selector/matchLabels/app.kubernetes.io~1component'],
    ],
    [
      /NetworkPolicy to-redis: it selects no pods/,
      ['NetworkPolicy to-redis', 'spec/podSelector/matchLabels/app.kubernetes.io~1component', 'web'],
    ],
    [/Deployment accounts-http: its selector/, [HTTP, 'spec/selector/matchLabels/app.kubernetes.io~1component']],
  ],
  'alerts name the jobs that are scraped': [
    [
      /^accounts-worker-internal: no alert knows it/,
      ['PrometheusRule evenkeel-platform', 'spec/groups/0/rules/0/expr', 'up{job=~".+-http-internal"} == 0'],
    ],
    [
      /PrometheusRule evenkeel-platform: nothing that is scraped has the job web/,
      ['PrometheusRule evenkeel-platform', 'spec/groups/0/rules/1/expr', 'up{job="web"} == 0'],
    ],
    [/^accounts: no alert knows it/, ['ServiceMonitor evenkeel', 'spec/jobLabel', 'app.kubernetes.io/name']],
  ],
  'ports have the names and numbers of the processes': [
    [
      /Service accounts-http: Deployment accounts-http has no port web/,
      ['Service accounts-http', 'spec/ports/0/targetPort', 'web'],
    ],
    [/accounts-http: the port http must be that of PORT/, [HTTP, `${CONTAINER}/ports/0/containerPort`, 3000]],
    [
      /accounts-worker: the port internal must be that of WORKER_INTERNAL_PORT/,
      [CONFIG, 'data/WORKER_INTERNAL_PORT', '9092'],
    ],
    [
      /NetworkPolicy from-prometheus: Deployment accounts-http has no port metrics/,
      ['NetworkPolicy from-prometheus', 'spec/ingress/0/ports/0/port', 'metrics'],
    ],
  ],
};
