import { TopicsConfig } from '@evenkeel/ops/events';
import { InvalidConfig, loadConfig, settingsOf } from '@evenkeel/platform/config';
import { ownNodeOptions } from '@evenkeel/services';
import type { ClassConstructor } from 'class-transformer';
import { SERVICE_CONFIGS } from '../service-configs';
import { type Cluster, type Container, type KubernetesObject, type Pods, titleOf } from './cluster';

/** The settings of each of our images, by the label `app.kubernetes.io/name` of its pods. */
const CONFIGS = new Map<string, ClassConstructor<object>>([...SERVICE_CONFIGS, ['topics', TopicsConfig]]);

const FILE_SUFFIX = '_FILE';
const withoutFile = (name: string): string => name.replace(/_FILE$/, '');

/** Well-formed values of secrets that are made elsewhere: only their form matters here. */
const KEYS = `form:${Buffer.alloc(32, 7).toString('base64')}`;
const WELL_FORMED: Readonly<Record<string, string>> = {
  ADMIN_TOKEN: 'a token of operators, 24 or more',
  ANSWER_KEYS: KEYS,
  DATABASE_URL: 'postgres://user@server.example/database?sslmode=verify-full',
  MIGRATION_DATABASE_URL: 'postgres://migrations@server.example/database?sslmode=verify-full',
  FACILITATOR_CDP_KEY_SECRET: KEYS.slice(5),
  FACILITATOR_LEDGER_URL: 'https://facilitator.example/ledger',
  FACILITATOR_URL: 'https://facilitator.example',
  JWT_KEYS: KEYS,
  KAFKA_SASL_PASSWORD: 'a password',
  RECEIPT_KEYS: KEYS,
  REDIS_URL: 'rediss://cache.example',
  REFRESH_TOKEN_KEYS: KEYS,
  SMTP_URL: 'smtps://mail.example',
  STRIPE_SECRET_KEY: 'sk_live_form',
  STRIPE_WEBHOOK_SECRET: 'whsec_form_of_one',
  STRIPE_WEBHOOK_SECRET_PREVIOUS: 'whsec_form_of_another',
  X402_RPC_URL: 'https://chain.example',
};

/** Sentences about what breaks a rule; none when it holds. The API server checks the rest. */
const RULES: Readonly<Record<string, (process: Process) => string[]>> = {
  'every setting exists': ({ declared, given }) =>
    Object.keys(given)
      .filter((name) => !declared.has(name) && !declared.has(withoutFile(name)))
      .map((name) => `${name} is no setting of this program`),

  'secrets come from files alone': ({ declared, given, container: { env = [] } }) => [
    ...Object.keys(given)
      .filter((name) => declared.get(name)?.isSecret)
      .map((name) => `${name} is a secret: mount it, and set ${name}${FILE_SUFFIX}`),
    ...env.filter(({ valueFrom }) => valueFrom?.secretKeyRef).map(({ name }) => `${name} must be mounted as a file`),
  ],

  'every file of a setting is mounted, from a key that its Secret has': ({ given, files }) =>
    Object.entries(given)
      .filter(([name, path]) => name.endsWith(FILE_SUFFIX) && path !== '' && files[path] === undefined)
      .map(([name, path]) => `${name}: no Secret is mounted with a key at ${path}`),

  'the program accepts its settings, and none that it needs is missing': ({ type, values }) => refusalsOf(type, values),

  'production knows its address, its servers and its operators': ({ declared, values }) => {
    if (values['NODE_ENV'] !== 'production') return [];
    const wanted = ['PUBLIC_BASE_URL', 'REDIS_URL', 'KAFKA_BROKERS', 'ADMIN_TOKEN', 'FACILITATOR_URL', 'JWKS_URL'];
    return wanted.filter((name) => declared.has(name) && !values[name]).map((name) => `${name} is not set`);
  },

  'production refuses the secrets of trials': ({ type, values, cluster, pods: { namespace, secrets } }) => {
    const isTrial = Object.values(secrets).some((name) => cluster.find('Secret', name, namespace));
    const isTaken = isTrial && refusalsOf(type, { ...values, NODE_ENV: 'production' }).length === 0;
    return isTaken ? ['its Secret is in these files, so it must be one that production refuses'] : [];
  },

  'a program has the options of Node of its service, and no command': ({ pods, container }) => {
    const { args = [], command } = container;
    const wanted = pods.component === 'http' ? ownNodeOptions(pods.app) : [];
    const given = ['http', 'worker'].includes(pods.component) ? args.slice(0, -1) : [];
    const isRight = command === undefined && given.join(' ') === wanted.join(' ');
    return isRight ? [] : [`needs ${wanted.join(' ') || 'nothing'} before its program`];
  },

  'a container has limits, no disk to write to and no token of the cluster': ({ pods, container }) => {
    const { name, resources = {}, securityContext } = container;
    const hasLimits = [resources.limits, resources.requests].every((each) => each?.['cpu'] && each['memory']);
    const isBound = hasLimits && securityContext?.readOnlyRootFilesystem === true && !pods.hasToken;
    return isBound ? [] : [`${name} may take more than it needs`];
  },

  'production runs images by their digest': ({ values, container: { image = '' } }) =>
    values['NODE_ENV'] !== 'production' || /@sha256:[0-9a-f]{64}$/.test(image)
      ? []
      : [`the image ${image} has no digest`],

  'REPLICA_COUNT is the greatest number of processes that answer': ({ cluster, pods, given }) =>
    cluster
      .specs<{ scaleTargetRef: { name: string }; maxReplicas: number }>('HorizontalPodAutoscaler', pods.namespace)
      .filter(({ scaleTargetRef: { name } }) => name === pods.name)
      .filter(({ maxReplicas }) => given['REPLICA_COUNT'] !== String(maxReplicas))
      .map(({ maxReplicas }) => `REPLICA_COUNT must be ${maxReplicas}`),
};

interface Process {
  cluster: Cluster;
  pods: Pods;
  container: Container;
  type: ClassConstructor<object>;
  declared: ReadonlyMap<string, { isSecret: boolean }>;
  /** Its environment. */
  given: Readonly<Record<string, string>>;
  /** Texts of the mounted keys, by their paths. */
  files: Readonly<Record<string, string>>;
  /** Its settings, those of files too. */
  values: Readonly<Record<string, string>>;
}

/** The sentences about each rule that is broken, each beginning with the object; empty when all hold. */
export function check(cluster: Cluster): Record<string, string[]> {
  const processes = processesOf(cluster);
  const broken: Record<string, string[]> = {};
  for (const [name, rule] of Object.entries(RULES)) {
    const said = processes.flatMap((process) => rule(process).map((why) => `${process.pods.title}: ${why}`));
    if (said.length > 0) broken[name] = said;
  }
  return broken;
}

function processesOf(cluster: Cluster): Process[] {
  return cluster.pods.flatMap((pods) => {
    const type = CONFIGS.get(pods.app);
    if (!type) return [];
    const declared = new Map(settingsOf(type).map((setting) => [setting.name, setting]));
    return pods.containers.map((container) => {
      const given = cluster.environmentOf(pods, container);
      const files = mountedKeys(cluster, pods, container);
      const values: Record<string, string> = {};
      for (const [name, value] of Object.entries(given)) {
        // As a program does, but from Secrets; the file of an authority is a setting itself.
        const isFile = !declared.has(name) && declared.has(withoutFile(name));
        values[isFile ? withoutFile(name) : name] = isFile ? (files[value] ?? '') : value;
      }
      return { cluster, pods, container, type, declared, given, files, values };
    });
  });
}

/** Texts of the mounted keys, by their paths. */
function mountedKeys(cluster: Cluster, { namespace, secrets }: Pods, { volumeMounts = [] }: Container) {
  const mounted: Record<string, string> = {};
  for (const { name, mountPath } of volumeMounts) {
    for (const [key, value] of Object.entries(cluster.secret(secrets[name] ?? '', namespace)))
      mounted[`${mountPath}/${key}`] = value || (WELL_FORMED[key] ?? '');
  }
  return mounted;
}

function refusalsOf(type: ClassConstructor<object>, values: Process['values']): string[] {
  try {
    loadConfig(type, values);
    return [];
  } catch (error) {
    if (error instanceof InvalidConfig) return [...error.problems];
    throw error;
  }
}

/** Values that stand for those of an operator. */
const PLACEHOLDER = /@sha256:0{64}$|\bexample\.com\b|^0x0{40}$|^price_(monthly|yearly)$/;

/** Placeholders that an operator has not replaced: sentences that begin with the object. */
export function placeholdersIn(objects: readonly KubernetesObject[]): string[] {
  return objects.flatMap((object) => {
    const placeholders = textsIn(object).filter(([, text]) => PLACEHOLDER.test(text));
    return placeholders.map(([path, text]) => `${titleOf(object)}: ${path} is ${text}`);
  });
}

function textsIn(value: unknown, path: readonly string[] = []): [path: string, text: string][] {
  if (typeof value === 'string') return [[path.join('.'), value]];
  return Object.entries(value ?? {}).flatMap(([key, member]) => textsIn(member, [...path, key]));
}
