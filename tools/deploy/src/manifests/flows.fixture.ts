import type { Cluster, Labels, Pods } from './cluster';

interface Selector {
  matchLabels?: Labels;
  matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
}

/** Whether labels fit a selector; an empty one fits all. */
export function fits({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels = {}): boolean {
  const equal = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return (
    equal &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      const isThere = value !== undefined && (values.length === 0 || values.includes(value));
      return ['NotIn', 'DoesNotExist'].includes(operator) ? !isThere : isThere;
    })
  );
}

/** One end of a flow that is no pod of ours. */
interface Peer {
  name: string;
  namespace: string;
  labels: Labels;
}

const NAME = 'app.kubernetes.io/name';
const BACKING = 'evenkeel-backing';
const SERVERS = ['agent-gateway', 'accounts', 'billing', 'reporting'].map((app): Peer => {
  const labels = { [NAME]: 'postgresql', 'app.kubernetes.io/instance': app };
  return { name: `database of ${app}`, namespace: BACKING, labels };
});

/** The servers beside the product, with the labels that the pages ask for. */
const PEERS: readonly Peer[] = [
  ...SERVERS,
  { name: 'redis', namespace: BACKING, labels: { [NAME]: 'redis' } },
  { name: 'kafka', namespace: BACKING, labels: { [NAME]: 'kafka' } },
  { name: 'dns', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  { name: 'prometheus', namespace: 'monitoring', labels: { [NAME]: 'prometheus' } },
  { name: 'collector', namespace: 'monitoring', labels: { [NAME]: 'opentelemetry-collector' } },
  { name: 'what ends TLS', namespace: 'traefik', labels: {} },
  { name: 'a pod of nobody', namespace: 'elsewhere', labels: {} },
];
const NAMESPACE_LABELS: Readonly<Record<string, Labels>> = { traefik: { 'evenkeel/ends-tls': 'true' } };
/** Facilitator, chain, Stripe, mail: any public address, and none of a node or a private network. */
const PUBLIC = ['0.0.0.0/0', '2000::/3'];
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'];

interface PolicyRule {
  from?: readonly End[];
  to?: readonly End[];
  ports?: readonly { port: string | number }[];
}

interface Policy {
  podSelector: Selector;
  policyTypes?: readonly string[];
  ingress?: readonly PolicyRule[];
  egress?: readonly PolicyRule[];
}

interface End {
  ipBlock?: { cidr: string; except?: readonly string[] };
  namespaceSelector?: Selector;
  podSelector?: Selector;
}

/** All that the policies let pods call, or be called by: `redis:6379`, sorted. */
export function allowed(cluster: Cluster, pods: Pods, direction: 'ingress' | 'egress'): string[] {
  const flows = cluster
    .specs<Policy>('NetworkPolicy', pods.namespace)
    .filter(({ podSelector }) => fits(podSelector, pods.labels))
    .flatMap((policy) => policy[direction] ?? [])
    .flatMap((rule) => {
      const ends = rule.to ?? rule.from;
      const names = ends ? ends.flatMap((end) => namesOf(end, pods.namespace, cluster)) : ['anybody'];
      const ports = rule.ports?.map(({ port }) => String(port)) ?? ['any'];
      return names.flatMap((name) => ports.map((port) => `${name}:${port}`));
    });
  return [...new Set(flows)].sort();
}

function namesOf({ ipBlock, namespaceSelector, podSelector }: End, own: string, cluster: Cluster): string[] {
  if (ipBlock) {
    const { cidr, except = [] } = ipBlock;
    const isPublic = PUBLIC.includes(cidr) && (cidr.includes(':') || PRIVATE.every((range) => except.includes(range)));
    return [isPublic ? 'outside' : cidr];
  }
  return [...PEERS, ...cluster.pods]
    .filter(({ namespace, labels }) => {
      const ofNamespace = { 'kubernetes.io/metadata.name': namespace, ...NAMESPACE_LABELS[namespace] };
      const isThere = namespaceSelector ? fits(namespaceSelector, ofNamespace) : namespace === own;
      return isThere && (podSelector ? fits(podSelector, labels) : true);
    })
    .map(({ name }) => name);
}

/** Whether nothing goes in or out of a namespace but what a policy names. */
export function deniesByDefault(cluster: Cluster, namespace: string): boolean {
  return cluster.specs<Policy>('NetworkPolicy', namespace).some((policy) => {
    const { podSelector, policyTypes = [], ingress, egress } = policy;
    return Object.keys(podSelector).length === 0 && policyTypes.length === 2 && !ingress && !egress;
  });
}
