import type { POD_RULES } from './pods';
import { CONTAINER, HTTP, POD, type SamplesOf } from './sample.fixture';

export const POD_SAMPLES: SamplesOf<typeof POD_RULES> = {
  'every namespace enforces the restricted profile': [
    [
      /^Namespace evenkeel: /,
      ['Namespace evenkeel', 'metadata/labels/pod-security.kubernetes.io~1enforce', 'baseline'],
    ],
    [/^Namespace evenkeel: /, ['Namespace evenkeel', '']],
  ],
  'a process runs as a numeric user that is not root': [
    [/accounts-http: needs runAsNonRoot/, [HTTP, `${POD}/securityContext/runAsNonRoot`, false]],
    [/accounts-http: needs runAsNonRoot/, [HTTP, `${POD}/securityContext/runAsUser`, 0]],
    [/accounts-http: needs runAsNonRoot/, [HTTP, `${POD}/securityContext/runAsUser`]],
  ],
  'the kernel takes only the usual calls': [
    [/accounts-http: /, [HTTP, `${POD}/securityContext/seccompProfile/type`, 'Unconfined']],
  ],
  'a process gains no privileges': [
    [/accounts-http, container http: /, [HTTP, `${CONTAINER}/securityContext/allowPrivilegeEscalation`]],
    [/accounts-http, container http: /, [HTTP, `${CONTAINER}/securityContext/privileged`, true]],
  ],
  'a process has no capabilities': [
    [/accounts-http, container http: /, [HTTP, `${CONTAINER}/securityContext/capabilities`]],
    [/accounts-http, container http: /, [HTTP, `${CONTAINER}/securityContext/capabilities/add`, ['NET_ADMIN']]],
  ],
  'the root file system is read-only, beside /tmp': [
    [/needs readOnlyRootFilesystem/, [HTTP, `${CONTAINER}/securityContext/readOnlyRootFilesystem`, false]],
    [/needs an emptyDir at \/tmp/, [HTTP, `${CONTAINER}/volumeMounts/1`]],
  ],
  'a pod shares nothing with its node': [
    [/accounts-http: must not/, [HTTP, `${POD}/hostNetwork`, true]],
    [/accounts-http: must not/, [HTTP, `${POD}/volumes/1`, { name: 'tmp', hostPath: { path: '/tmp' } }]],
  ],
  'a pod has no token of the cluster, and an account of its own service': [
    [/accounts-http: needs automount/, [HTTP, `${POD}/automountServiceAccountToken`]],
    [/accounts-http: needs automount/, ['ServiceAccount accounts-service', 'automountServiceAccountToken', true]],
    [/accounts-http: needs a ServiceAccount of accounts/, [HTTP, `${POD}/serviceAccountName`, 'billing-service']],
  ],
  'a container has requests and limits': [
    [/accounts-http, container http: /, [HTTP, `${CONTAINER}/resources/limits/memory`]],
    [/accounts-http, container http: /, [HTTP, `${CONTAINER}/resources/requests`]],
    [/accounts-http, container http: /, [HTTP, `${CONTAINER}/resources/requests/memory`, '1Gi']],
  ],
  'a program starts as its image says': [
    [/accounts-http, container http: has a command/, [HTTP, `${CONTAINER}/command`, ['/nodejs/bin/node']]],
  ],
  'a program has the options of Node of its service': [
    [
      /billing-http, container http: needs --heap-growing-percent/,
      ['Deployment billing-http', `${CONTAINER}/args`, ['main.js']],
    ],
    [
      /billing-worker, container worker: needs nothing/,
      ['Deployment billing-worker', `${CONTAINER}/args`, ['--no-parallel-scavenge', 'worker.js']],
    ],
    [
      /reporting-http, container http: needs nothing/,
      ['Deployment reporting-http', `${CONTAINER}/args`, ['--expose-gc', 'main.js']],
    ],
  ],
  'production runs images by their digest': [
    [/the image evenkeel\/accounts:1\.0 has no digest/, [HTTP, `${CONTAINER}/image`, 'evenkeel/accounts:1.0']],
  ],
};
