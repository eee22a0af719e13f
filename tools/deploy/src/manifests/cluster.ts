/** The common members of Kubernetes objects, and those that rules look at. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata?: { name?: string; namespace?: string; labels?: Labels };
  /** Of a ConfigMap, or of a Secret in base64. */
  data?: Record<string, string>;
  /** Of a Secret. */
  stringData?: Record<string, string>;
  spec?: object;
}

export type Labels = Readonly<Record<string, string>>;

export interface Selector {
  matchLabels?: Labels;
  matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
}

export interface Container {
  name: string;
  image?: string;
  command?: readonly string[];
  args?: readonly string[];
  env?: readonly { name: string; value?: string; valueFrom?: { secretKeyRef?: object } }[];
  envFrom?: readonly { configMapRef?: { name?: string } }[];
  volumeMounts?: readonly { name: string; mountPath: string }[];
  resources?: Partial<Record<'limits' | 'requests', Readonly<Record<string, string>>>>;
  securityContext?: { readOnlyRootFilesystem?: boolean };
}

interface PodTemplate {
  metadata?: { labels?: Labels };
  spec: {
    automountServiceAccountToken?: boolean;
    initContainers?: readonly Container[];
    containers: readonly Container[];
    volumes?: readonly { name: string; secret?: { secretName?: string } }[];
  };
}

/** How findings name an object: `Deployment accounts-http`. */
export function titleOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata?.name}`;
}

/** Whether labels fit a selector; an empty one fits all, none fits nothing. */
export function fits(selector: Selector | undefined, labels: Labels = {}): boolean {
  if (!selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
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

/** The pods of one Deployment, StatefulSet, Job or CronJob. */
export interface Pods {
  /** Of what makes them: `Deployment accounts-http`. */
  title: string;
  name: string;
  namespace: string;
  /** `app.kubernetes.io/name`: the service, or the server. */
  app: string;
  /** `app.kubernetes.io/component`: http, worker, migrate, operations, events, topics. */
  component: string;
  labels: Labels;
  containers: readonly Container[];
  /** Whether they may call the API of the cluster. */
  hasToken: boolean;
  /** Names of mounted Secrets, by their volumes. */
  secrets: Readonly<Record<string, string>>;
}

/** Rendered objects, and how to find one among them. */
export class Cluster {
  readonly pods: readonly Pods[];

  /** @param elsewhere Secrets that exist without being rendered; their values do not matter */
  constructor(
    readonly objects: readonly KubernetesObject[],
    readonly elsewhere: readonly KubernetesObject[] = [],
  ) {
    this.pods = objects.flatMap(podsOf);
  }

  /** The `spec` of all objects of a kind in a namespace. */
  specs<Spec>(kind: string, namespace: string): Spec[] {
    const found = this.objects.filter((object) => object.kind === kind && object.metadata?.namespace === namespace);
    return found.map(({ spec }) => spec as Spec);
  }

  find(kind: string, name: string | undefined, namespace: string, objects = this.objects) {
    const isIt = ({ kind: other, metadata }: KubernetesObject) =>
      other === kind && metadata?.name === name && metadata?.namespace === namespace;
    return objects.find(isIt);
  }

  /** Keys and values of a Secret; without values where it is made elsewhere. */
  secret(name: string, namespace: string): Readonly<Record<string, string>> {
    const secret = this.find('Secret', name, namespace) ?? this.find('Secret', name, namespace, this.elsewhere);
    const decoded = Object.entries(secret?.data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]);
    return { ...(Object.fromEntries(decoded) as Record<string, string>), ...secret?.stringData };
  }

  /** The environment of a container, from ConfigMaps and the container itself. */
  environmentOf({ namespace }: Pods, { env = [], envFrom = [] }: Container): Record<string, string> {
    const maps = envFrom.map(({ configMapRef }) => this.find('ConfigMap', configMapRef?.name, namespace)?.data ?? {});
    const own = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
    return Object.assign({}, ...maps, Object.fromEntries(own)) as Record<string, string>;
  }
}

function podsOf(object: KubernetesObject): Pods[] {
  if (!['CronJob', 'Deployment', 'StatefulSet', 'Job'].includes(object.kind)) return [];
  const { jobTemplate } = object.spec as { jobTemplate?: { spec: object } };
  const { template } = (jobTemplate?.spec ?? object.spec) as { template: PodTemplate };
  const labels = template.metadata?.labels ?? {};
  const { initContainers = [], containers, volumes = [] } = template.spec;
  const { name = '', namespace = '' } = object.metadata ?? {};
  const secrets = volumes.flatMap(({ name: volume, secret }) => (secret ? [[volume, secret.secretName ?? '']] : []));
  return [
    {
      title: titleOf(object),
      name,
      namespace,
      labels,
      app: labels['app.kubernetes.io/name'] ?? '',
      component: labels['app.kubernetes.io/component'] ?? '',
      containers: [...initContainers, ...containers],
      hasToken: template.spec.automountServiceAccountToken !== false,
      secrets: Object.fromEntries(secrets) as Record<string, string>,
    },
  ];
}
