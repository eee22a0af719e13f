import { settingsOf } from '@evenkeel/platform/config';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { type Cluster, type Labels, OURS, type Pods, STAND_IN, type Selector, fits } from '../cluster';
import type { Rules } from './rule';
import { CONFIGS } from './settings';

/** One end of a flow: pods of a namespace, or an address outside of the cluster. */
interface Peer {
  name: string;
  namespace?: string;
  labels?: Labels;
}

/** Namespace of PostgreSQL, Redis and Kafka. */
const BACKING = 'evenkeel-backing';
const NAME = 'app.kubernetes.io/name';

const OUTSIDE: Peer = { name: 'outside' };
const DNS: Peer = { name: 'dns', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } };
const EDGES = ['ingress-nginx', 'gateway'].map((namespace): Peer => ({ name: 'edge', namespace, labels: {} }));
const PROMETHEUS: Peer = { name: 'prometheus', namespace: 'monitoring', labels: { [NAME]: 'prometheus' } };
const COLLECTOR: Peer = { name: 'collector', namespace: 'monitoring', labels: { [NAME]: 'opentelemetry-collector' } };
const REDIS: Peer = { name: 'redis', namespace: BACKING, labels: { [NAME]: 'redis' } };
const KAFKA: Peer = { name: 'kafka', namespace: BACKING, labels: { [NAME]: 'kafka' } };

function databaseOf(app: string): Peer {
  return {
    name: `database of ${app}`,
    namespace: BACKING,
    labels: { [NAME]: 'postgresql', 'app.kubernetes.io/instance': app },
  };
}

interface Calls {
  /** Components of a service that call. */
  by: readonly string[];
  /** Names of peers and their ports. */
  to: (app: string) => readonly string[];
}

/**
 * Which processes call what a setting names. Of each service: only what it has a setting for, it can call. The doctor tries all
 * of it, so programs of operators may.
 */
export const CALLS: Readonly<Record<string, Calls>> = {
  DATABASE_URL: {
    by: ['http', 'worker', 'migrate', 'operations', 'events'],
    to: (app) => [`${databaseOf(app).name}:5432`],
  },
  REDIS_URL: { by: ['http', 'operations'], to: () => ['redis:6379'] },
  KAFKA_BROKERS: { by: ['worker', 'topics', 'operations'], to: () => ['kafka:9092'] },
  FACILITATOR_URL: { by: ['http', 'worker', 'operations'], to: () => ['outside:443'] },
  FACILITATOR_LEDGER_URL: { by: ['worker', 'operations'], to: () => ['outside:443'] },
  X402_RPC_URL: { by: ['worker', 'operations'], to: () => ['outside:443'] },
  STRIPE_API_BASE: { by: ['http', 'worker', 'operations'], to: () => ['outside:443'] },
  SMTP_URL: { by: ['worker', 'operations'], to: () => ['outside:465', 'outside:587'] },
  JWKS_URL: { by: ['http', 'operations'], to: () => ['accounts-http:http'] },
  OTEL_EXPORTER_OTLP_ENDPOINT: { by: ['http', 'worker'], to: () => ['collector:4318'] },
};
/** What stands in for the servers of others in trials, by the setting that names it. */
const STAND_INS: Readonly<Record<string, string>> = { FACILITATOR_URL: 'facilitator', STRIPE_API_BASE: 'stripe' };
/** It sends webhooks to who answers for billing. */
const CALLS_BACK = { from: 'stripe', to: 'billing-http' };
/** Every service can trace. */
const OF_EVERY_SERVICE = 'OTEL_EXPORTER_OTLP_ENDPOINT';
/** Addresses in answers, mails and pages: others follow them. */
const LINKS = new Set([
  ...['PUBLIC_BASE_URL', 'APP_LINK_BASE'],
  ...['BILLING_SUCCESS_URL', 'BILLING_CANCEL_URL', 'BILLING_RETURN_URL'],
]);
const ADDRESS = /(URL|BASE|BROKERS|ENDPOINT)$/;

/** Who may talk to whom. */
export const FLOW_RULES = {
  'every namespace denies what no policy allows': (cluster) =>
    [...new Set([OURS, BACKING, ...cluster.pods.map(({ namespace }) => namespace)])].flatMap((namespace) => {
      const denies = policies(cluster).some(({ metadata, spec }) => {
        const { podSelector = {}, policyTypes = [], ingress, egress } = spec ?? {};
        const all = Object.keys(podSelector).length === 0 && policyTypes.length === 2;
        return metadata?.namespace === namespace && all && !ingress && !egress;
      });
      return denies ? [] : [`Namespace ${namespace}: needs a NetworkPolicy for all pods that allows nothing`];
    }),

  'a process may call what its settings name, and nothing else': (cluster) =>
    ours(cluster).flatMap((pods) => {
      const wanted = [...callsOf(pods), ...standInsOf(pods, cluster), 'dns:53/TCP', 'dns:53/UDP'];
      return differences(pods.title, 'may call', wanted, allowed(cluster, pods, 'egress'));
    }),

  'a process is called by those that have a reason, and by nobody else': (cluster) =>
    ours(cluster).flatMap((pods) => {
      const callers = ours(cluster).filter((other) => callsOf(other).includes(`${pods.name}:http`));
      const wanted = [
        ...(pods.component === 'http' ? ['edge:http'] : []),
        ...(['http', 'worker'].includes(pods.component) ? ['prometheus:internal'] : []),
        ...callers.map(({ name }) => `${name}:http`),
        ...(pods.name === CALLS_BACK.to && standIns(cluster).some(({ name }) => name === CALLS_BACK.from)
          ? [`${CALLS_BACK.from}:http`]
          : []),
      ];
      return differences(pods.title, 'may be called by', wanted, allowed(cluster, pods, 'ingress'));
    }),

  'what stands in for others is called by those that it stands in for, and calls nobody else': (cluster) =>
    standIns(cluster).flatMap((pods) => {
      const callers = ours(cluster).filter((other) => standInsOf(other, cluster).includes(`${pods.name}:http`));
      const back = pods.name === CALLS_BACK.from ? [`${CALLS_BACK.to}:http`] : [];
      return [
        ...differences(
          pods.title,
          'may be called by',
          callers.map(({ name }) => `${name}:http`),
          allowed(cluster, pods, 'ingress'),
        ),
        ...differences(pods.title, 'may call', [...back, 'dns:53/TCP', 'dns:53/UDP'], allowed(cluster, pods, 'egress')),
      ];
    }),

  'a server is called by those whose settings name it, and by nobody else': (cluster) =>
    servers().flatMap((server) => {
      const wanted = ours(cluster).flatMap((pods) =>
        callsOf(pods)
          .filter((call) => call.startsWith(`${server.name}:`))
          .map((call) => `${pods.name}:${call.slice(server.name.length + 1)}`),
      );
      return differences(server.name, 'may be called by', wanted, allowed(cluster, server, 'ingress'));
    }),
} satisfies Rules;

/** Settings with an address of which `CALLS` says nothing; a test wants none. */
export function unexplainedAddresses(): string[] {
  const names = Object.values(CONFIGS).flatMap((type) => settingsOf(type).map(({ name }) => name));
  return [...new Set(names)].filter((name) => ADDRESS.test(name) && !(name in CALLS) && !LINKS.has(name));
}

function servers(): Peer[] {
  const apps = Object.keys(CONFIGS).filter((app) => app !== 'topics');
  return [...apps.map(databaseOf), REDIS, KAFKA];
}

function policies(cluster: Cluster): INetworkPolicy[] {
  return cluster.all<INetworkPolicy>('NetworkPolicy');
}

function ours({ pods }: Cluster): Pods[] {
  return pods.filter(({ app }) => app in CONFIGS);
}

function callsOf({ app, component }: Pods): string[] {
  const declared = settingsOf(CONFIGS[app as keyof typeof CONFIGS]).map(({ name }) => name);
  const settings = [...new Set([...declared, OF_EVERY_SERVICE])];
  return settings.flatMap((name) => (CALLS[name]?.by.includes(component) ? CALLS[name].to(app) : []));
}

/** `facilitator:http`, where it is one of the pods. */
function standInsOf({ app, component }: Pods, cluster: Cluster): string[] {
  const declared = settingsOf(CONFIGS[app as keyof typeof CONFIGS]).map(({ name }) => name);
  const named = declared.filter((name) => CALLS[name]?.by.includes(component)).map((name) => STAND_INS[name]);
  return standIns(cluster)
    .filter(({ name }) => named.includes(name))
    .map(({ name }) => `${name}:http`);
}

function standIns({ pods }: Cluster): Pods[] {
  return pods.filter(({ component }) => component === STAND_IN);
}

function differences(title: string, verb: string, wanted: readonly string[], found: readonly string[]): string[] {
  return [
    ...[...new Set(wanted)]
      .filter((flow) => !found.includes(flow))
      .map((flow) => `${title}: ${verb} ${flow}, but no policy says so`),
    ...[...new Set(found)]
      .filter((flow) => !wanted.includes(flow))
      .map((flow) => `${title}: ${verb} ${flow} by a policy, but has no reason to`),
  ];
}

/** All ends that the policies for pods open in one direction, as `peer:port`. */
function allowed(
  cluster: Cluster,
  pods: Pick<Peer, 'namespace' | 'labels'>,
  direction: 'ingress' | 'egress',
): string[] {
  const peers: Peer[] = [
    OUTSIDE,
    DNS,
    ...EDGES,
    PROMETHEUS,
    COLLECTOR,
    ...servers(),
    ...ours(cluster),
    ...standIns(cluster),
  ];
  return policies(cluster)
    .filter(({ metadata }) => metadata?.namespace === pods.namespace)
    .filter(({ spec }) => fits(spec?.podSelector as Selector, pods.labels))
    .flatMap(({ metadata, spec }) =>
      (spec?.[direction] ?? []).flatMap((rule) => {
        const ends = ('to' in rule ? rule.to : 'from' in rule ? rule.from : undefined) as readonly End[] | undefined;
        const names = ends ? ends.flatMap((end) => namesOf(end, metadata?.namespace, peers)) : ['anybody'];
        const ports = rule.ports?.map(({ port, protocol }) => `${port}${port === 53 ? `/${protocol}` : ''}`) ?? ['any'];
        return names.flatMap((name) => ports.map((port) => `${name}:${port}`));
      }),
    );
}

interface End {
  ipBlock?: { cidr: string; except?: readonly string[] };
  namespaceSelector?: Selector;
  podSelector?: Selector;
}

/** Of nodes, pods and machines beside them: what is called outside is not there. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'];

function namesOf({ ipBlock, namespaceSelector, podSelector }: End, own: string | undefined, peers: Peer[]): string[] {
  if (ipBlock) {
    const isOutside = ipBlock.cidr === '0.0.0.0/0' && PRIVATE.every((range) => ipBlock.except?.includes(range));
    return [isOutside ? OUTSIDE.name : ipBlock.cidr];
  }
  const found = peers.filter(({ namespace, labels }) => {
    if (namespace === undefined) return false;
    const place = { 'kubernetes.io/metadata.name': namespace };
    const isThere = namespaceSelector ? fits(namespaceSelector, place) : namespace === own;
    return isThere && (podSelector ? fits(podSelector, labels) : true);
  });
  return found.length > 0 ? found.map(({ name }) => name) : ['pods that nobody knows'];
}
