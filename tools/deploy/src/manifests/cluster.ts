import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder, CannotStartService, ensureProgram } from '@evenkeel/services';
import { parseAllDocuments } from 'yaml';

/** The common members of Kubernetes objects, and those that rules look at. */
export interface KubernetesObject {
  kind: string;
  metadata?: { name?: string; namespace?: string; labels?: Labels };
  /** Of a ConfigMap, or of a Secret in base64. */
  data?: Record<string, string>;
  /** Of a Secret. */
  stringData?: Record<string, string>;
  spec?: object;
}

export type Labels = Readonly<Record<string, string>>;

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

/** How findings name an object: `Deployment accounts-http`. */
export function titleOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata?.name}`;
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
    const decoded: Record<string, string> = { ...secret?.stringData };
    for (const [key, value] of Object.entries(secret?.data ?? {}))
      decoded[key] = Buffer.from(value, 'base64').toString();
    return decoded;
  }

  /** The environment of a container, from ConfigMaps and the container itself. */
  environmentOf({ namespace }: Pods, { env = [], envFrom = [] }: Container): Record<string, string> {
    const maps = envFrom.map(({ configMapRef }) => this.find('ConfigMap', configMapRef?.name, namespace)?.data);
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

const run = promisify(execFile);
/** The last kustomize that the Go of Debian 12 builds. */
const VERSION = 'v5.0.3';
const MODULE = `sigs.k8s.io/kustomize/kustomize/v5@${VERSION}`;

/** The rendered overlay, with the Secrets that its operator makes. @throws Error with what kustomize said */
export async function clusterOf(overlay: string): Promise<Cluster> {
  const [program, command] = await ensureKustomize();
  const { stdout } = await run(program, [command, overlay], { maxBuffer: 64 * 1_048_576 });
  const secrets = join(overlay, 'secrets.example.yaml');
  const elsewhere = existsSync(secrets) ? objectsIn(readFileSync(secrets, 'utf8')) : [];
  return new Cluster(objectsIn(stdout), elsewhere);
}

/**
 * kustomize 5, as older ones know fewer places of labels: that of kubectl, or on the PATH, else built once for all checkouts.
 * @returns program and command
 */
async function ensureKustomize(): Promise<[program: string, command: string]> {
  const said = (program: string, args: string[]) => run(program, args).then(({ stdout }) => stdout, String);
  if (/Kustomize Version: v[5-9]/.test(await said('kubectl', ['version', '--client']))) return ['kubectl', 'kustomize'];
  // One that Go has built does not know its version.
  if (/\(devel\)|\bv[5-9]\./.test(await said('kustomize', ['version']))) return ['kustomize', 'build'];
  const folder = await cachedFolder(`kustomize-${VERSION}`, async (unfinished) => {
    const go = await ensureProgram({ name: 'go', debianPackage: 'golang-go', purpose: 'Go 1.19, or kustomize 5' });
    // The shell adds one variable to those that this process was started with. To optimise takes longer than it saves.
    const install = ['-c', 'GOBIN="$0" exec "$1" install -gcflags="all=-N -l" "$2"', unfinished, go, MODULE];
    await run('sh', install).catch((cause: Error) => {
      const byHand = `Type "go install ${MODULE}" and put $(go env GOPATH)/bin on the PATH.`;
      throw new CannotStartService(`Go could not build kustomize. ${byHand}\n${cause.message}`, { cause });
    });
  });
  return [join(folder, 'kustomize'), 'build'];
}

/** Objects of a text in YAML, as Go reads it: kustomize leaves an address in hex without quotes. */
function objectsIn(text: string): KubernetesObject[] {
  const documents = parseAllDocuments(text, {
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !('format' in tag) || tag.format !== 'HEX'),
  });
  return documents.flatMap((document) => (document.toJSON() as KubernetesObject | null) ?? []);
}
