import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP_NAMES } from '@evenkeel/contracts';
import { Cluster, clusterOf, type KubernetesObject } from './cluster';
import { allowed, deniesByDefault } from './flows.fixture';
import { check, placeholdersIn } from './rules';

const ROOT = join(__dirname, '../../../..');
const K8S = join(ROOT, 'k8s');
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Copies of the overlay for production, changed as the page says. */
const made: string[] = [];
afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true })));

async function productionBut(change: (text: string) => string): Promise<Cluster> {
  const folder = mkdtempSync(join(K8S, 'overlays/test-'));
  made.push(folder);
  cpSync(join(K8S, 'overlays/prod'), folder, { recursive: true });
  const file = join(folder, 'kustomization.yaml');
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  return clusterOf(folder);
}

/** Lines of the page that name components, as somebody would type them over those of the overlay. */
const COMPONENTS = /^components:\n(?: {2}- \S+\n)+/m;
const TYPED = [...textOf('k8s/README.md').matchAll(new RegExp(COMPONENTS, 'gm'))].map(([lines]) => lines);

const clusters = new Map<string, Cluster>();
beforeAll(async () => {
  for (const name of ['dev', 'prod']) clusters.set(name, await clusterOf(join(K8S, 'overlays', name)));
  for (const lines of TYPED) clusters.set(lines, await productionBut((text) => text.replace(COMPONENTS, lines)));
}, 900_000);
const prod = () => clusters.get('prod')!;

it.each(['dev', 'prod', ...TYPED])('all rules hold for %s', (name) => expect(check(clusters.get(name)!)).toEqual({}));

it('the page names what ends TLS in both ways, and every component', () => {
  const named = TYPED.flatMap((lines) => [...lines.matchAll(/components\/(\S+)/g)].map(([, name]) => name));
  expect(new Set(named)).toEqual(new Set(['ingress', 'gateway-api', 'monitoring', 'keda']));
});

it('every alert links to its page by an address that one setting makes absolute', () => {
  const rules = clusters.get(TYPED[0]!)!.objects.filter(({ kind }) => kind === 'PrometheusRule');
  const links = [...JSON.stringify(rules).matchAll(/"runbook_url":"([^"]*)"/g)].map(([, link]) => link!);
  expect(links.length).toBeGreaterThan(30);
  const pages = 'https://git.example.com/evenkeel/blob/main/docs/operations/';
  expect(links.filter((link) => !link.startsWith(pages))).toEqual([]);
});

it('the overlay for production says what to replace, that for trials needs nothing', () => {
  expect(placeholdersIn(clusters.get('dev')!.objects)).toEqual([]);
  const left = placeholdersIn(prod().objects).map((line) => line.replace(/-[a-z0-9]{10}:/, ':'));
  expect(left).toEqual(
    expect.arrayContaining([
      'ConfigMap accounts-config: data.PUBLIC_BASE_URL is https://api.example.com',
      `ConfigMap agent-gateway-config: data.X402_PAY_TO is 0x${'0'.repeat(40)}`,
      'ConfigMap billing-config: data.STRIPE_PRICE_MONTHLY is price_monthly',
      'ConfigMap reporting-config: data.KAFKA_BROKERS is kafka.example.com:9092',
      'ConfigMap topics-config: data.KAFKA_BROKERS is kafka.example.com:9092',
      expect.stringMatching(/^Deployment edge: .*haproxy@sha256:0{64}$/),
    ]),
  );
});

it('an overlay in a namespace of another name is whole', async () => {
  const { objects } = await productionBut((text) => text.replace('namespace: evenkeel', 'namespace: other'));
  const namespaces = objects.map(({ kind, metadata }) => (kind === 'Namespace' ? metadata?.name : metadata?.namespace));
  expect([...new Set(namespaces)]).toEqual(['other']);
  // An own Service is named without its namespace.
  expect(JSON.stringify(objects.filter(({ kind }) => kind === 'ConfigMap'))).not.toContain('.evenkeel.svc');
});

describe('policies', () => {
  const pods = (name: string) => prod().pods.find((each) => each.name === name)!;
  const DNS = ['169.254.20.10/32:53', '169.254.20.10/32:5353', 'dns:53', 'dns:5353'];
  const EDGE = APP_NAMES.flatMap((app) => [`${app}-http:http`, `${app}-http:internal`]);

  it.each<[name: string, calls: string[]]>([
    ['agent-gateway-http', ['collector:4318', 'database of agent-gateway:5432', 'outside:443', 'redis:6379']],
    ['agent-gateway-worker', ['collector:4318', 'database of agent-gateway:5432', 'kafka:9092', 'outside:443']],
    ['accounts-http', ['collector:4318', 'database of accounts:5432', 'redis:6379']],
    ['accounts-worker', ['collector:4318', 'database of accounts:5432', 'kafka:9092', 'outside:465', 'outside:587']],
    ['billing-http', ['accounts-http:http', 'collector:4318', 'database of billing:5432', 'outside:443', 'redis:6379']],
    ['billing-worker', ['collector:4318', 'database of billing:5432', 'kafka:9092', 'outside:443']],
    ['reporting-http', ['collector:4318', 'database of reporting:5432', 'redis:6379']],
    ['reporting-worker', ['collector:4318', 'database of reporting:5432', 'kafka:9092']],
    ['reporting-migrate', ['database of reporting:5432']],
    ['topics-create', ['kafka:9092']],
    ['edge', EDGE],
  ])('let %s call what its work needs, and nothing else', (name, calls) => {
    expect(allowed(prod(), pods(name), 'egress')).toEqual([...calls, ...DNS].sort());
  });

  const OF_ACCOUNTS = ['billing-http:http', 'billing-operations:http', 'edge:http', 'edge:internal'];
  it.each<[name: string, callers: string[]]>([
    ['edge', ['what ends TLS:http']],
    ['agent-gateway-http', ['edge:http', 'edge:internal', 'prometheus:internal']],
    ['accounts-http', [...OF_ACCOUNTS, 'prometheus:internal']],
    ['billing-worker', ['prometheus:internal']],
    ['reporting-migrate', []],
  ])('let %s be called by those who have a reason, and by nobody else', (name, callers) => {
    expect(allowed(prod(), pods(name), 'ingress')).toEqual(callers);
  });

  it('allow nothing but what they name', () => expect(deniesByDefault(prod(), 'evenkeel')).toBe(true));
});

it.each([
  ['every setting exists', '"STRIPE_PRICE_MONTHLY":', '"STRIPE_PRIZE":', /STRIPE_PRIZE is no setting/],
  ['secrets come from files alone', '"SMTP_URL_FILE":', '"SMTP_URL":', /SMTP_URL is a secret/],
  ['production knows its address, its servers and its operators', '"JWKS_URL":', '"JWKS":', /JWKS_URL is not set/],
  ['production runs images by their digest', /@sha256:[0-9a-f]{64}/, ':latest', /accounts:latest has no digest/],
])('it is seen where this is broken: %s', (rule, text, instead, says) => {
  const whole = JSON.stringify(prod().objects);
  const objects = JSON.parse(whole.replaceAll(new RegExp(text, 'g'), instead)) as KubernetesObject[];
  expect(check(new Cluster(objects, prod().elsewhere))[rule]?.join('\n')).toMatch(says);
});
