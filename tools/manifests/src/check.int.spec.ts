import type { ISecret } from 'kubernetes-models/v1';
import { check, RULES, type RuleName } from './check';
import { Cluster } from './cluster/cluster';
import { unexplainedAddresses } from './rules/flows';
import { placeholdersIn } from './rules/placeholders';
import {
  changed,
  renderVariants,
  secretsElsewhere,
  VARIANTS,
  type Change,
  type Rendered,
  type Variant,
} from './variants.fixture';

let rendered: Rendered;
let elsewhere: ISecret[];
beforeAll(async () => {
  rendered = await renderVariants();
  elsewhere = await secretsElsewhere();
}, 900_000);

const names = Object.keys(VARIANTS) as Variant[];
const clusterOf = (variant: Variant, ...changes: readonly Change[]) =>
  new Cluster(changed(rendered[variant], ...changes), elsewhere);

it.each(names)('all rules hold for %s', (variant) => expect(check(clusterOf(variant))).toEqual({}));

it('every address among the settings is a call or a link', () => expect(unexplainedAddresses()).toEqual([]));

it('the overlay for production says what to replace, that for trials needs nothing', () => {
  const places = placeholdersIn(rendered.prod).map((sentence) => sentence.replace(/:.*? has /, ' '));
  expect([...new Set(places.map((place) => place.replace(/-[a-z0-9]{10} /, ' ').replace(/: .*/, '')))].sort()).toEqual([
    'ConfigMap accounts-config a name of example.com',
    'ConfigMap agent-gateway-config a name of example.com',
    'ConfigMap agent-gateway-config the address zero',
    'ConfigMap billing-config a name of example.com',
    'ConfigMap billing-config the name of no price',
    'ConfigMap reporting-config a name of example.com',
    ...['accounts', 'agent-gateway', 'billing', 'reporting'].flatMap((app) =>
      ['http', 'worker'].flatMap((half) => [
        `Deployment ${app}-${half} a digest of zeros`,
        `Deployment ${app}-${half} a name of example.com`,
      ]),
    ),
    'Ingress edge a name of example.com',
    ...['accounts-migrate', 'agent-gateway-migrate', 'billing-migrate', 'reporting-migrate', 'topics-create'].flatMap(
      (job) => [`Job ${job} a digest of zeros`, `Job ${job} a name of example.com`],
    ),
  ]);
  expect(placeholdersIn(rendered.dev)).toEqual([]);
});

const ALL = 'prod with all components';
const HTTP = 'Deployment accounts-http';
const WORKER = 'Deployment accounts-worker';
const POD = 'spec/template/spec';
const CONTAINER = `${POD}/containers/0`;
const CONFIG = 'ConfigMap accounts-config';

type Sample = readonly [says: RegExp, ...changes: readonly Change[]];

/** For each rule changes that break it, in production with all components unless the sample says otherwise. */
const SAMPLES: Readonly<Record<RuleName, readonly Sample[]>> = {
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
    [/apps\/v2 Deployment has no schema/, [HTTP, 'apiVersion', 'apps/v2']],
  ],
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
  'production runs images by their digest': [
    [/the image evenkeel\/accounts:1\.0 has no digest/, [HTTP, `${CONTAINER}/image`, 'evenkeel/accounts:1.0']],
  ],
  'probes ask the internal port': [
    [/needs a readinessProbe/, [HTTP, `${CONTAINER}/readinessProbe`]],
    [/needs a livenessProbe/, [WORKER, `${CONTAINER}/livenessProbe/httpGet/path`, '/health/ready']],
    [/needs a startupProbe/, [HTTP, `${CONTAINER}/startupProbe/httpGet/port`, 'http']],
  ],
  'a pod has the time to wait for its migrations': [
    [/accounts-http: its startupProbe/, [HTTP, `${CONTAINER}/startupProbe/failureThreshold`, 20]],
  ],
  'a pod that answers goes on while balancers learn that it leaves': [
    [/accounts-http: needs a preStop/, [HTTP, `${CONTAINER}/lifecycle`]],
    [/accounts-http: needs a preStop/, [HTTP, `${CONTAINER}/lifecycle/preStop/sleep/seconds`, 1]],
  ],
  'a pod has the time to finish': [
    [/accounts-http: .* more than 20$/, [HTTP, `${POD}/terminationGracePeriodSeconds`, 20]],
    [/accounts-worker: .* more than 15$/, [WORKER, `${POD}/terminationGracePeriodSeconds`]],
  ],
  'a job that fails is tried again, and ends': [
    [/Job accounts-migrate: /, ['Job accounts-migrate', 'spec/backoffLimit', 0]],
    [/Job topics-create: /, ['Job topics-create', 'spec/activeDeadlineSeconds']],
  ],
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
  'every service has its programs, and topics have theirs': [
    [/^accounts-worker: /, [WORKER, '']],
    [/^billing-migrate: /, ['Job billing-migrate', '']],
    [/^topics-create: /, ['Job topics-create', '']],
  ],
  'every setting exists': [
    [/accounts-http: SMPT_URL_FILE is no setting/, [CONFIG, 'data/SMPT_URL_FILE', '/run/secrets/evenkeel/SMTP_URL']],
    [/accounts-http: STRIPE_PRICE_MONTHLY is no setting/, [CONFIG, 'data/STRIPE_PRICE_MONTHLY', 'price_1']],
    [/accounts-http: LOG_LEVEL is no setting/, [HTTP, `${CONTAINER}/env/0/name`, 'LOG_LEVEL']],
    [/topics-create: DATABASE_URL is no setting/, ['ConfigMap topics-config', 'data/DATABASE_URL', 'postgres://a/b']],
  ],
  'secrets come from files alone': [
    [/accounts-http: SMTP_URL is a secret/, [CONFIG, 'data/SMTP_URL', 'none']],
    [
      /accounts-http: JWT_KEYS must be mounted/,
      [
        HTTP,
        `${CONTAINER}/env/0`,
        { name: 'JWT_KEYS', valueFrom: { secretKeyRef: { name: 'accounts-secrets', key: 'JWT_KEYS' } } },
      ],
    ],
  ],
  'every file of a setting is mounted, from a key that its Secret has': [
    [/SMTP_URL_FILE: no Secret/, [CONFIG, 'data/SMTP_URL_FILE', '/run/secrets/SMTP_URL']],
    [/DATABASE_URL_FILE: no Secret/, [HTTP, `${CONTAINER}/volumeMounts/0`]],
    [/BREACH_LIST_FILE: no Secret/, [CONFIG, 'data/BREACH_LIST_FILE', '/run/secrets/evenkeel/LIST']],
  ],
  'the program accepts its settings, and none that it needs is missing': [
    [/accounts-http: DATABASE_URL must/, [CONFIG, 'data/DATABASE_URL_FILE']],
    [/accounts-http: SMTP_URL must/, [CONFIG, 'data/SMTP_URL_FILE', '']],
    [/agent-gateway-http: X402_RPC_URL/, ['ConfigMap agent-gateway-config', 'data/X402_RPC_URL_FILE']],
    [/agent-gateway-worker: X402_PAY_TO/, ['ConfigMap agent-gateway-config', 'data/X402_PAY_TO']],
    [/accounts-http: DB_POOL_MAX must/, [CONFIG, 'data/DB_POOL_MAX', 'ten']],
    [/billing-http: JWKS_URL must/, ['ConfigMap billing-config', 'data/JWKS_URL', 'http://accounts.example/jwks']],
    [/topics-create: KAFKA_BROKERS must/, ['ConfigMap topics-config', 'data/KAFKA_BROKERS']],
    [/accounts-http: KAFKA_SASL_PASSWORD/, [CONFIG, 'data/KAFKA_SASL_PASSWORD_FILE']],
  ],
  'production knows its address, its servers and its operators': [
    [/accounts-http: PUBLIC_BASE_URL/, [CONFIG, 'data/PUBLIC_BASE_URL']],
    [/accounts-http: REDIS_URL/, [CONFIG, 'data/REDIS_URL_FILE']],
    [/accounts-worker: KAFKA_BROKERS/, [CONFIG, 'data/KAFKA_BROKERS']],
    [/reporting-http: ADMIN_TOKEN/, ['ConfigMap reporting-config', 'data/ADMIN_TOKEN_FILE']],
    [/agent-gateway-http: FACILITATOR_URL/, ['ConfigMap agent-gateway-config', 'data/FACILITATOR_URL_FILE']],
    [/billing-http: JWKS_URL/, ['ConfigMap billing-config', 'data/JWKS_URL']],
  ],
  'production refuses the secrets of trials': [],
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
  'the edge sends each path of the route table to its owner, and nothing else': [
    [/\/v1\/auth -> accounts-http is missing/, ['HTTPRoute accounts', 'spec/rules/0/matches/0']],
    [/\/v1\/auth -> billing-http is not/, ['HTTPRoute accounts', 'spec/rules/0/backendRefs/0/name', 'billing-http']],
    [
      /\/dev\/mails -> accounts-http is not/,
      ['HTTPRoute accounts', 'spec/rules/0/matches/4', { path: { type: 'PathPrefix', value: '/dev/mails' } }],
    ],
  ],
  'the edge takes paths and what lies below them': [
    [/HTTPRoute accounts: \/v1\/auth must be/, ['HTTPRoute accounts', 'spec/rules/0/matches/0/path/type', 'Exact']],
  ],
  'the edge of production has the name of the base URL, and TLS': [],
  'a process trusts the address that one proxy tells, the edge': [
    [/accounts-http: TRUSTED_PROXY_HOPS/, [CONFIG, 'data/TRUSTED_PROXY_HOPS', '2']],
  ],
  'every namespace denies what no policy allows': [
    [/^Namespace evenkeel/, ['NetworkPolicy deny-all', 'spec/egress', [{}]]],
    [/^Namespace evenkeel/, ['NetworkPolicy deny-all', 'spec/policyTypes', ['Ingress']]],
  ],
  'a process may call what its settings name, and nothing else': [
    [/accounts-http: may call database of accounts:5432, but no/, ['NetworkPolicy accounts-to-database', '']],
    [
      /accounts-http: may call database of billing:5432 by a policy/,
      ['NetworkPolicy billing-to-database', 'spec/podSelector/matchLabels', {}],
    ],
    [/accounts-worker: may call outside:587, but no/, ['NetworkPolicy accounts-to-mail', 'spec/egress/0/ports/1']],
    [/accounts-http: may call anybody:any by a policy/, ['NetworkPolicy to-redis', 'spec/egress', [{}]]],
    [
      /billing-http: may call 0\.0\.0\.0\/0:443 by a policy/,
      ['NetworkPolicy billing-to-stripe', 'spec/egress/0/to/0/ipBlock/except'],
    ],
    [
      /reporting-http: may call outside:443 by a policy/,
      ['NetworkPolicy billing-to-stripe', 'spec/podSelector/matchLabels/app.kubernetes.io~1name', 'reporting'],
    ],
    [/topics-create: may call dns:53\/TCP, but no/, ['NetworkPolicy to-dns', 'spec/egress/0/ports/1']],
    [/billing-http: may call accounts-http:http, but no/, ['NetworkPolicy billing-to-accounts', '']],
  ],
  'a process is called by those that have a reason, and by nobody else': [
    [/accounts-http: may be called by edge:http, but no/, ['NetworkPolicy from-edge', '']],
    [
      /accounts-http: may be called by edge:internal by a policy/,
      ['NetworkPolicy from-edge', 'spec/ingress/0/ports/1', { port: 'internal' }],
    ],
    [/accounts-http: may be called by billing-http:http, but no/, ['NetworkPolicy accounts-from-billing', '']],
    [
      /accounts-worker: may be called by prometheus:internal, but no/,
      ['NetworkPolicy from-prometheus', 'spec/podSelector/matchExpressions/0/values', ['http']],
    ],
    [/accounts-http: may be called by anybody:http by a policy/, ['NetworkPolicy from-edge', 'spec/ingress/0/from']],
  ],
  'a server is called by those whose settings name it, and by nobody else': [
    [/database of accounts: may be called by accounts-http:5432, but no/, ['NetworkPolicy database-from-accounts', '']],
    [
      /database of accounts: may be called by billing-http:5432 by a policy/,
      ['NetworkPolicy database-from-accounts', 'spec/ingress/0/from/0/podSelector/matchLabels', {}],
    ],
    [
      /redis: may be called by accounts-http:6379, but no/,
      ['NetworkPolicy redis-from-http', 'spec/ingress/0/ports/0/port', 6380],
    ],
    [
      /kafka: may be called by topics-create:9092, but no/,
      ['NetworkPolicy kafka-from-workers', 'spec/ingress/0/from/0/podSelector/matchExpressions/0/values', ['worker']],
    ],
  ],
};

/** What the other overlays alone have. */
const OTHER_SAMPLES: readonly [Variant, RuleName, ...Sample][] = [
  [
    'dev',
    'production refuses the secrets of trials',
    /accounts-http: its Secret is in these files/,
    ['Secret accounts-secrets', 'data', secretOf({ DATABASE_URL: 'postgres://a@b/c', SMTP_URL: 'none' })],
    [CONFIG, 'data/SMTP_URL_FILE', '/run/secrets/evenkeel/SMTP_URL'],
  ],
  [
    'prod',
    'the edge of production has the name of the base URL, and TLS',
    /Ingress edge: /,
    ['Ingress edge', 'spec/rules/0/host', 'api.example.org'],
  ],
  [
    'prod',
    'the edge of production has the name of the base URL, and TLS',
    /Ingress edge: /,
    ['Ingress edge', 'spec/tls'],
  ],
  [
    'prod',
    'the edge takes paths and what lies below them',
    /Ingress edge: /,
    ['Ingress edge', 'spec/rules/0/http/paths/0/pathType', 'Exact'],
  ],
  [
    'prod',
    'what an edge, a scaler or a monitor refers to exists',
    /Ingress edge: the Secret certificate/,
    ['Ingress edge', 'spec/tls/0/secretName', 'certificate'],
  ],
  [
    'prod',
    'what an edge, a scaler or a monitor refers to exists',
    /Ingress edge: the Service accounts/,
    ['Service accounts-http', ''],
  ],
];

/** Values as Kubernetes keeps them; the keys of accounts are well-formed. */
function secretOf(values: Readonly<Record<string, string>>): Record<string, string> {
  const key = `own:${Buffer.alloc(32, 7).toString('base64')}`;
  const all = { REDIS_URL: 'redis://r', JWT_KEYS: key, REFRESH_TOKEN_KEYS: key, ...values };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, Buffer.from(value).toString('base64')]));
}

const samples = [
  ...Object.entries(SAMPLES).flatMap(([rule, each]) =>
    each.map(([says, ...changes]) => [rule, says, ALL, changes] as const),
  ),
  ...OTHER_SAMPLES.map(([variant, rule, says, ...changes]) => [rule, says, variant, changes] as const),
] as readonly (readonly [RuleName, RegExp, Variant, readonly Change[]])[];

it.each(samples)('%s: a sample breaks it, %p', (rule, says, variant, changes) => {
  expect(RULES[rule](clusterOf(variant, ...changes))).toContainEqual(expect.stringMatching(says));
});

it('each rule has a sample that breaks it', () => {
  const tried = new Set(samples.map(([rule]) => rule));
  expect(Object.keys(RULES).filter((rule) => !tried.has(rule as RuleName))).toEqual([]);
});
