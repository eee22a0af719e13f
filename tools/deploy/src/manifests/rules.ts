import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { ownNodeOptions } from '@evenkeel/services';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import type { IConfigMap, IService } from 'kubernetes-models/v1';
import { type Cluster, type KubernetesObject, type Pods, type Selector, fits, titleOf } from './cluster';
import { againstSchema } from './schema';
import { ofEachProcess } from './settings-rules';

/** Sentences about what breaks a rule, each beginning with the object; none when it holds. */
export type Rules = Readonly<Record<string, (cluster: Cluster) => string[]>>;

const isService = ({ app }: Pods): boolean => (APP_NAMES as readonly string[]).includes(app);

/** Services that read events: what they could not apply waits for an operator. */
const SUBSCRIBERS: readonly AppName[] = ['accounts', 'billing', 'reporting'];

/** Rules that a schema cannot express. The API server checks the rest. */
const RULES: Rules = {
  'every object is as its schema says': ({ objects }) => objects.flatMap(againstSchema),
  ...ofEachProcess,

  'every service has its programs, and topics have theirs': ({ pods }) => {
    const programs = ['http', 'worker', 'migrate', 'operations'];
    const wanted = [
      ...APP_NAMES.flatMap((app) => programs.map((one) => `${app}-${one}`)),
      ...SUBSCRIBERS.map((app) => `${app}-events`),
      'topics-create',
    ];
    return wanted.filter((wish) => !pods.some(({ name }) => name === wish)).map((name) => `${name}: is missing`);
  },

  'a pod may do no more than the restricted profile allows, and has limits': ({ pods }) =>
    pods.filter(isService).flatMap((each) => {
      const { runAsNonRoot, runAsUser = 0, seccompProfile } = each.spec.securityContext ?? {};
      const isRestricted = each.containers.every(({ securityContext: may, resources }) => {
        const isBound = may?.allowPrivilegeEscalation === false && may.privileged !== true;
        const hasNone = may?.capabilities?.drop?.includes('ALL') === true && !may.capabilities.add;
        const hasLimits = [resources?.limits, resources?.requests].every((each) => each?.['cpu'] && each['memory']);
        return isBound && hasNone && hasLimits && may?.readOnlyRootFilesystem === true;
      });
      const isNobody = runAsNonRoot === true && runAsUser > 0 && seccompProfile?.type === 'RuntimeDefault';
      const hasNoToken = each.spec.automountServiceAccountToken === false;
      return isRestricted && isNobody && hasNoToken ? [] : [`${each.title}: may do more than it needs`];
    }),

  'production runs images by their digest': (cluster) => {
    const settings = (pods: Pods) => pods.containers.map((container) => cluster.environmentOf(pods, container));
    const isProduction = cluster.pods.some((pods) => settings(pods).some((env) => env['NODE_ENV'] === 'production'));
    return cluster.pods.flatMap((pods) =>
      pods.containers
        .filter(({ image = '' }) => isProduction && !/@sha256:[0-9a-f]{64}$/.test(image))
        .map(({ image }) => `${pods.title}: the image ${image} has no digest`),
    );
  },

  'a program has the options of Node of its service, and no command': ({ pods }) =>
    pods.filter(isService).flatMap(({ title, app, component, containers }) =>
      containers.flatMap(({ args = [], command }) => {
        const wanted = component === 'http' ? ownNodeOptions(app) : [];
        const given = ['http', 'worker'].includes(component) ? args.slice(0, -1) : [];
        const isRight = command === undefined && given.join(' ') === wanted.join(' ');
        return isRight ? [] : [`${title}: needs ${wanted.join(' ') || 'nothing'} before its program`];
      }),
    ),

  'what a pod names exists': (cluster) =>
    cluster.pods.flatMap(({ title, namespace, spec, containers }) => {
      const volumes = spec.volumes ?? [];
      const maps = [
        ...containers.flatMap(({ envFrom = [] }) => envFrom.map(({ configMapRef }) => configMapRef?.name)),
        ...volumes.flatMap(({ configMap }) => (configMap ? [configMap.name] : [])),
      ];
      const secrets = volumes.flatMap(({ secret }) => (secret ? [secret.secretName] : []));
      return [
        ...maps.filter((name) => !cluster.find('ConfigMap', name, namespace)).map((name) => `ConfigMap ${name}`),
        ...secrets.filter((name) => !cluster.secret(name, namespace)).map((name) => `Secret ${name}`),
      ].map((what) => `${title}: the ${what} is missing`);
    }),

  'a Service selects pods that have its ports': (cluster) =>
    cluster.all<IService>('Service').flatMap((service) => {
      const selector: Selector = { matchLabels: service.spec?.selector ?? {} };
      const { namespace } = service.metadata ?? {};
      const pods = cluster.pods.filter((each) => each.namespace === namespace && fits(selector, each.labels));
      const ports = pods.flatMap(({ containers }) => containers.flatMap(({ ports: own = [] }) => own));
      const isRight = (service.spec?.ports ?? []).every(({ targetPort }) => {
        return ports.some(({ name, containerPort }) => name === targetPort || containerPort === targetPort);
      });
      return pods.length > 0 && isRight ? [] : [`${titleOf(service)}: no pod has its ports`];
    }),

  'REPLICA_COUNT is the greatest number of processes that answer': (cluster) =>
    cluster.all<IHorizontalPodAutoscaler>('HorizontalPodAutoscaler').flatMap(({ metadata, spec }) => {
      const pods = cluster.pods.find(({ name }) => name === spec?.scaleTargetRef.name);
      const set = pods && cluster.environmentOf(pods, pods.containers[0]!)['REPLICA_COUNT'];
      return set === String(spec?.maxReplicas) ? [] : [`${metadata?.name}: REPLICA_COUNT must be ${spec?.maxReplicas}`];
    }),

  'only the edge is reached from outside, and only by what ends TLS': (cluster) => {
    const routes = cluster.objects.filter(({ kind }) => ['Ingress', 'HTTPRoute'].includes(kind)) as Route[];
    return routes.flatMap((route) => {
      const text = JSON.stringify(route.spec);
      const named = [...text.matchAll(/"(?:service|backendRefs)":\[?\{"name":"([^"]+)"/g)].map(([, name]) => name);
      return named.length === 1 && named[0] === 'edge' && !route.metadata?.annotations
        ? []
        : [`${titleOf(route)}: must hand everything to the edge`];
    });
  },

  'what ends TLS has the host of the base URL': (cluster) => {
    const urls = cluster.all<IConfigMap>('ConfigMap').map(({ data }) => data?.['PUBLIC_BASE_URL'] ?? '');
    const hosts = new Set(urls.filter((url) => url.startsWith('https:')).map((url) => new URL(url).host));
    const routes = cluster.objects.filter(({ kind }) => ['Ingress', 'HTTPRoute', 'Gateway', 'Probe'].includes(kind));
    return routes
      .filter((route) => ![...hosts].some((host) => JSON.stringify(route).includes(`${host}`)))
      .map((route) => `${titleOf(route)}: needs the host of PUBLIC_BASE_URL`);
  },
};

type Route = KubernetesObject & { spec: object; metadata?: { annotations?: object } };

/** The sentences about each rule that is broken; empty when all hold. */
export function check(cluster: Cluster): Record<string, string[]> {
  const broken = Object.entries(RULES).map(([name, rule]) => [name, rule(cluster)] as const);
  return Object.fromEntries(broken.filter(([, sentences]) => sentences.length > 0));
}

/** Values that stand for those of an operator. */
const PLACEHOLDER = /@sha256:0{64}$|\bexample\.com\b|^0x0{40}$|^price_(monthly|yearly)$/;

/** Placeholders that an operator has not replaced: sentences that begin with the object. */
export function placeholdersIn(objects: readonly KubernetesObject[]): string[] {
  return objects.flatMap((object) =>
    textsIn(object)
      .filter(([, text]) => PLACEHOLDER.test(text))
      .map(([path, text]) => `${titleOf(object)}: ${path} is ${text}`),
  );
}

function textsIn(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => textsIn(member, path === '' ? key : `${path}.${key}`));
}
