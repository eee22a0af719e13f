import { ROUTES } from '@evenkeel/contracts';
import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import type { IProbe, IPrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1';
import { type Cluster, titleOf } from '../cluster';
import type { Rules } from './rule';

/** What an exporter says of the certificate that it was shown. */
const CERTIFICATE = 'probe_ssl_earliest_cert_expiry';
/** Below it is what production does not have. */
const FOR_TRIALS = '/dev/';

/** What the edge lets in. */
export const EDGE_RULES = {
  'the edge sends each path of the route table to its owner, and nothing else': (cluster) => {
    const isProduction = cluster.pods.some((pods) => cluster.isProduction(pods));
    const owned = ROUTES.flatMap(({ app, prefixes }) => prefixes.map((prefix) => `${prefix} -> ${app}-http`));
    const allowed = owned.filter((route) => !isProduction || !route.startsWith(FOR_TRIALS));
    const wanted = owned.filter((route) => !route.startsWith(FOR_TRIALS));
    const found = [...ingressRoutes(cluster), ...gatewayRoutes(cluster)];
    return [
      ...wanted.filter((route) => !found.includes(route)).map((route) => `edge: ${route} is missing`),
      ...found
        .filter((route, index) => !allowed.includes(route) || found.indexOf(route) < index)
        .map((route) => `edge: ${route} is not in the route table, or there twice`),
    ];
  },

  'the edge takes paths and what lies below them': (cluster) => [
    ...cluster.all<IIngress>('Ingress').flatMap((ingress) =>
      pathsOf(ingress)
        .filter(({ pathType }) => pathType !== 'Prefix')
        .map(({ path }) => `${titleOf(ingress)}: ${path} must be a Prefix`),
    ),
    ...cluster.all<IHTTPRoute>('HTTPRoute').flatMap((route) =>
      matchesOf(route)
        .filter(({ path }) => path?.type !== 'PathPrefix')
        .map(({ path }) => `${titleOf(route)}: ${path?.value} must be a PathPrefix`),
    ),
  ],

  'the edge of production has the name of the base URL, and TLS': (cluster) =>
    cluster.all<IIngress>('Ingress').flatMap((ingress) => {
      const hosts = ingress.spec?.rules?.map(({ host }) => host) ?? [];
      const secured = ingress.spec?.tls?.flatMap(({ hosts: names = [] }) => names) ?? [];
      return baseUrlsOfProduction(cluster).flatMap((url) => {
        const { protocol, host } = new URL(url);
        const isRight = protocol === 'https:' && hosts.every((name) => name === host) && secured.includes(host);
        return isRight ? [] : [`${titleOf(ingress)}: needs host and TLS of PUBLIC_BASE_URL, ${url}`];
      });
    }),

  'the certificate that an alert is about is looked at': (cluster) => {
    const targets = cluster.all<IProbe>('Probe').flatMap(({ spec }) => spec.targets?.staticConfig?.static ?? []);
    const looked = targets.map((target) => new URL(target).origin);
    const unseen = baseUrlsOfProduction(cluster).filter((url) => !looked.includes(new URL(url).origin));
    return cluster
      .all<IPrometheusRule>('PrometheusRule')
      .filter(({ spec }) => JSON.stringify(spec).includes(CERTIFICATE))
      .flatMap((rule) => unseen.map((url) => `${titleOf(rule)}: no Probe looks at ${url}`));
  },

  'a process trusts the address that one proxy tells, the edge': (cluster) =>
    cluster.pods
      .filter(({ component }) => component === 'http')
      .filter((pods) => cluster.environmentOf(pods, pods.containers[0]!)['TRUSTED_PROXY_HOPS'] !== '1')
      .map(({ title }) => `${title}: TRUSTED_PROXY_HOPS must be 1`),
} satisfies Rules;

function pathsOf({ spec }: IIngress) {
  return spec?.rules?.flatMap(({ http }) => http?.paths ?? []) ?? [];
}

function matchesOf({ spec }: IHTTPRoute) {
  return spec.rules?.flatMap(({ matches }) => matches ?? []) ?? [];
}

function ingressRoutes(cluster: Cluster): string[] {
  const paths = cluster.all<IIngress>('Ingress').flatMap(pathsOf);
  return paths.map(({ path, backend }) => `${path} -> ${backend.service?.name}`);
}

function gatewayRoutes(cluster: Cluster): string[] {
  const rules = cluster.all<IHTTPRoute>('HTTPRoute').flatMap(({ spec }) => spec.rules ?? []);
  return rules.flatMap(({ matches, backendRefs }) => {
    const [backend, ...more] = backendRefs ?? [];
    const target = more.length === 0 ? backend?.name : 'several';
    return (matches ?? []).map(({ path }) => `${path?.value} -> ${target}`);
  });
}

function baseUrlsOfProduction(cluster: Cluster): string[] {
  const http = cluster.pods.filter((pods) => pods.component === 'http' && cluster.isProduction(pods));
  const urls = http.map((pods) => cluster.environmentOf(pods, pods.containers[0]!)['PUBLIC_BASE_URL']);
  return [...new Set(urls.map((url) => url ?? 'http://unset'))];
}
