import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import type { IPrometheusRule, IServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import type { IIngress, INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import type { IService } from 'kubernetes-models/v1';
import { type Cluster, type Pods, type Selector, fits, titleOf } from '../cluster';
import type { Rules } from './rule';

/** What names something else names something that is there. */
export const REFERENCE_RULES = {
  'what a pod refers to exists': (cluster) => cluster.pods.flatMap((pods) => missingOf(pods, cluster)),

  'what an edge, a scaler or a monitor refers to exists': (cluster) => [
    ...cluster.all<IIngress>('Ingress').flatMap((ingress) => {
      const { namespace = '' } = ingress.metadata ?? {};
      const paths = ingress.spec?.rules?.flatMap(({ http }) => http?.paths ?? []) ?? [];
      const backends = paths.map(({ backend: { service } }) => [service?.name, service?.port?.name] as const);
      const secrets = ingress.spec?.tls?.map(({ secretName }) => secretName) ?? [];
      return [
        ...backends.flatMap(([name, port]) => missingPort(cluster, titleOf(ingress), name, port)),
        ...secrets
          .filter((name) => !cluster.secret(name, namespace))
          .map((name) => `${titleOf(ingress)}: the Secret ${name} is missing`),
      ];
    }),
    ...cluster.all<IHTTPRoute>('HTTPRoute').flatMap((route) => {
      const backends = route.spec.rules?.flatMap(({ backendRefs }) => backendRefs ?? []) ?? [];
      return backends.flatMap(({ name, port }) => missingPort(cluster, titleOf(route), name, port ?? undefined));
    }),
    ...[
      ...cluster.all<IHorizontalPodAutoscaler>('HorizontalPodAutoscaler'),
      ...cluster.all<IScaledObject>('ScaledObject'),
    ].flatMap((scaler) => {
      const name = scaler.spec?.scaleTargetRef.name;
      return cluster.find('Deployment', name) ? [] : [`${titleOf(scaler)}: the Deployment ${name} is missing`];
    }),
    ...cluster.all<IServiceMonitor>('ServiceMonitor').flatMap((monitor) => {
      const { selector, endpoints = [] } = monitor.spec ?? {};
      const services = cluster
        .all<IService>('Service')
        .filter(({ metadata }) => fits(selector as Selector, metadata?.labels));
      return endpoints
        .filter(({ port }) => !services.some(({ spec }) => spec?.ports?.some(({ name }) => name === port)))
        .map(({ port }) => `${titleOf(monitor)}: no Service that it selects has the port ${port}`);
    }),
  ],

  'what selects pods selects some': (cluster) => [
    ...cluster.all<IService>('Service').flatMap((service) => {
      const pods = selected(cluster, service, { matchLabels: service.spec?.selector ?? {} });
      return pods.length > 0 ? [] : [`${titleOf(service)}: it selects no pods`];
    }),
    ...cluster.all<IPodDisruptionBudget>('PodDisruptionBudget').flatMap((budget) => {
      const pods = selected(cluster, budget, budget.spec?.selector);
      return pods.length === 1 ? [] : [`${titleOf(budget)}: it must select the pods of one Deployment`];
    }),
    ...cluster.all<INetworkPolicy>('NetworkPolicy').flatMap((policy) => {
      const isOfServersElsewhere = !cluster.pods.some(({ namespace }) => namespace === policy.metadata?.namespace);
      const pods = selected(cluster, policy, policy.spec?.podSelector);
      return isOfServersElsewhere || pods.length > 0 ? [] : [`${titleOf(policy)}: it selects no pods`];
    }),
    ...cluster.all<IDeployment>('Deployment').flatMap((deployment) => {
      const pods = selected(cluster, deployment, deployment.spec?.selector);
      const isOwn = pods.length === 1 && pods[0]!.title === titleOf(deployment);
      return isOwn ? [] : [`${titleOf(deployment)}: its selector must select its own pods and no others`];
    }),
  ],

  'alerts name the jobs that are scraped': (cluster) => {
    const jobs = scrapedJobs(cluster);
    const named = cluster.all<IPrometheusRule>('PrometheusRule').flatMap((rule) => {
      const patterns = [...JSON.stringify(rule.spec).matchAll(/\bjob=~?\\"([^"\\]+)\\"/g)];
      return patterns.map(([, text]) => ({ title: titleOf(rule), text: text!, pattern: new RegExp(`^(?:${text})$`) }));
    });
    if (named.length === 0) return [];
    return [
      ...jobs
        .filter((job) => !named.some(({ pattern }) => pattern.test(job)))
        .map((job) => `${job}: no alert knows it`),
      ...named
        .filter(({ pattern }) => !jobs.some((job) => pattern.test(job)))
        .map(({ title, text }) => `${title}: nothing that is scraped has the job ${text}`),
    ];
  },

  'ports have the names and numbers of the processes': (cluster) => [
    ...cluster
      .all<IService>('Service')
      .flatMap((service) =>
        selected(cluster, service, { matchLabels: service.spec?.selector ?? {} }).flatMap((pods) =>
          (service.spec?.ports ?? [])
            .filter(({ targetPort, port }) => !hasPort(pods, targetPort ?? port))
            .map(({ targetPort }) => `${titleOf(service)}: ${pods.title} has no port ${targetPort}`),
        ),
      ),
    ...cluster.pods.flatMap((pods) => wrongPorts(pods, cluster)),
    ...cluster.all<INetworkPolicy>('NetworkPolicy').flatMap((policy) => {
      const named = policy.spec?.ingress?.flatMap(({ ports = [] }) => ports.map(({ port }) => port)) ?? [];
      return selected(cluster, policy, policy.spec?.podSelector as Selector).flatMap((pods) =>
        named
          .filter((port) => port !== undefined && !hasPort(pods, port))
          .map((port) => `${titleOf(policy)}: ${pods.title} has no port ${port}`),
      );
    }),
  ],
} satisfies Rules;

/** What Prometheus calls the processes behind each Service that a monitor selects: as the Service, unless a label says it. */
function scrapedJobs(cluster: Cluster): string[] {
  return cluster.all<IServiceMonitor>('ServiceMonitor').flatMap(({ spec }) => {
    const { selector, endpoints = [], jobLabel } = spec ?? {};
    return cluster
      .all<IService>('Service')
      .filter((service) => fits(selector as Selector, service.metadata?.labels))
      .filter((service) => service.spec?.ports?.some(({ name }) => endpoints.some(({ port }) => port === name)))
      .map(({ metadata }) => (jobLabel ? metadata?.labels?.[jobLabel] : undefined) ?? metadata?.name ?? '');
  });
}

function selected({ pods }: Cluster, { metadata }: { metadata?: { namespace?: string } }, selector?: Selector): Pods[] {
  return pods.filter(({ namespace, labels }) => namespace === metadata?.namespace && fits(selector, labels));
}

function missingOf({ title, namespace, spec, containers }: Pods, cluster: Cluster): string[] {
  const volumes = spec.volumes ?? [];
  const wanted = [
    ['ServiceAccount', spec.serviceAccountName ?? 'default'] as const,
    ...containers.flatMap(({ envFrom = [] }) =>
      envFrom.map(({ configMapRef }) => ['ConfigMap', configMapRef?.name] as const),
    ),
    ...containers.flatMap(({ env = [] }) =>
      env.flatMap(({ valueFrom }) =>
        valueFrom?.configMapKeyRef ? [['ConfigMap', valueFrom.configMapKeyRef.name] as const] : [],
      ),
    ),
    ...volumes.flatMap(({ configMap }) => (configMap ? [['ConfigMap', configMap.name] as const] : [])),
    ...volumes.flatMap(({ persistentVolumeClaim: claim }) =>
      claim ? [['PersistentVolumeClaim', claim.claimName] as const] : [],
    ),
  ];
  const secrets = volumes.flatMap(({ secret }) => (secret ? [secret.secretName] : []));
  const mounted = containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name));
  return [
    ...wanted.filter(([kind, name]) => !cluster.find(kind, name, namespace)).map(([kind, name]) => `${kind} ${name}`),
    ...secrets.filter((name) => !cluster.secret(name, namespace)).map((name) => `Secret ${name}`),
    ...mounted.filter((name) => !volumes.some((volume) => volume.name === name)).map((name) => `volume ${name}`),
  ].map((what) => `${title}: the ${what} is missing`);
}

function missingPort(cluster: Cluster, title: string, name?: string, port?: string | number): string[] {
  const service = cluster.find<IService>('Service', name);
  const hasIt = service?.spec?.ports?.some((own) => own.name === port || own.port === port);
  return hasIt ? [] : [`${title}: the Service ${name} with the port ${port} is missing`];
}

function hasPort({ containers }: Pods, port: string | number): boolean {
  return containers.some(({ ports = [] }) =>
    ports.some(({ name, containerPort }) => name === port || containerPort === port),
  );
}

/** The settings that say where the program of a component listens. */
const LISTENS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  http: { http: 'PORT', internal: 'INTERNAL_PORT' },
  worker: { internal: 'WORKER_INTERNAL_PORT' },
};

function wrongPorts(pods: Pods, cluster: Cluster): string[] {
  return pods.containers.flatMap((container) => {
    const settings = cluster.environmentOf(pods, container);
    const listens = Object.entries(LISTENS[pods.component] ?? {});
    return listens
      .filter(([name, setting]) => {
        const port = container.ports?.find((own) => own.name === name)?.containerPort;
        return port === undefined || String(port) !== settings[setting];
      })
      .map(([name, setting]) => `${pods.title}: the port ${name} must be that of ${setting}`);
  });
}
