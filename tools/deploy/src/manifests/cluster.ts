import type { IDeployment, IStatefulSet } from 'kubernetes-models/apps/v1';
import type { ICronJob, IJob } from 'kubernetes-models/batch/v1';
import type { IConfigMap, IPodSpec, IPodTemplateSpec, ISecret } from 'kubernetes-models/v1';

/** The common members of Kubernetes objects. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata?: { name?: string; namespace?: string; labels?: Record<string, string> };
}

export type Labels = Readonly<Record<string, string>>;

export interface Selector {
  matchLabels?: Labels;
  matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
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

const NAME = 'app.kubernetes.io/name';
const COMPONENT = 'app.kubernetes.io/component';

export type Container = IPodSpec['containers'][number];

/** The pods of one Deployment, StatefulSet, Job or CronJob. */
export interface Pods {
  /** Of what makes them: `Deployment accounts-http`. */
  title: string;
  name: string;
  namespace: string;
  kind: string;
  /** `app.kubernetes.io/name`: the service, or the server. */
  app: string;
  /** `app.kubernetes.io/component`: http, worker, migrate, operations, events, topics. */
  component: string;
  labels: Labels;
  spec: IPodSpec;
  containers: readonly Container[];
}

/** Rendered objects, and how to find one among them. */
export class Cluster {
  readonly pods: readonly Pods[];

  /** @param elsewhere Secrets that exist without being rendered; their values do not matter */
  constructor(
    readonly objects: readonly KubernetesObject[],
    readonly elsewhere: readonly ISecret[] = [],
  ) {
    this.pods = objects.flatMap(podsOf);
  }

  /** All objects of a kind. */
  all<T extends object>(kind: T extends { kind?: infer Kind extends string } ? Kind : never): (T & KubernetesObject)[] {
    return this.objects.filter((object) => object.kind === kind) as (T & KubernetesObject)[];
  }

  find<T extends object = KubernetesObject>(kind: string, name: string | undefined, namespace?: string): T | undefined {
    const found = this.objects.find(
      ({ kind: other, metadata }) =>
        other === kind && metadata?.name === name && (namespace === undefined || metadata?.namespace === namespace),
    );
    return found as T | undefined;
  }

  /** Keys and values of a Secret; without values where it is made elsewhere. */
  secret(name: string | undefined, namespace: string): Readonly<Record<string, string>> | undefined {
    const isIt = ({ metadata }: ISecret) => metadata?.name === name && metadata?.namespace === namespace;
    const { data = {}, stringData } = this.find<ISecret>('Secret', name, namespace) ?? this.elsewhere.find(isIt) ?? {};
    if (!stringData && Object.keys(data).length === 0) return undefined;
    const decoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]);
    return { ...(Object.fromEntries(decoded) as Record<string, string>), ...stringData };
  }

  /** The environment of a container, from ConfigMaps and the container itself. */
  environmentOf({ namespace }: Pods, { env = [], envFrom = [] }: Container): Record<string, string> {
    const maps = envFrom.map(
      ({ configMapRef }) => this.find<IConfigMap>('ConfigMap', configMapRef?.name, namespace)?.data ?? {},
    );
    const own = env.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value!] as const);
    return Object.assign({}, ...maps, Object.fromEntries(own)) as Record<string, string>;
  }
}

function podsOf(object: KubernetesObject): Pods[] {
  const template = templateOf(object);
  if (!template) return [];
  const labels = template.metadata?.labels ?? {};
  const spec = template.spec!;
  const { name = '', namespace = '' } = object.metadata ?? {};
  const place = { title: titleOf(object), name, namespace, kind: object.kind };
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return [{ ...place, labels, spec, containers, app: labels[NAME] ?? '', component: labels[COMPONENT] ?? '' }];
}

function templateOf(object: KubernetesObject): IPodTemplateSpec | undefined {
  if (object.kind === 'CronJob') return (object as ICronJob).spec!.jobTemplate.spec!.template;
  if (!['Deployment', 'StatefulSet', 'Job'].includes(object.kind)) return undefined;
  return ((object as IDeployment | IStatefulSet | IJob).spec as { template: IPodTemplateSpec }).template;
}
