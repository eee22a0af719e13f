import { AccountsConfig } from '@evenkeel/accounts';
import { AgentGatewayConfig } from '@evenkeel/agent-gateway';
import { BillingConfig } from '@evenkeel/billing';
import { TopicsConfig } from '@evenkeel/ops/events';
import { InvalidConfig, loadConfig, settingsOf } from '@evenkeel/platform/config';
import { ReportingConfig } from '@evenkeel/reporting';
import type { ClassConstructor } from 'class-transformer';
import type { Cluster, Container, Pods } from './cluster';
import type { Rules } from './rules';

/** The settings of each of our images, by the label `app.kubernetes.io/name` of its pods. */
const CONFIGS: Readonly<Record<string, ClassConstructor<object>>> = {
  'agent-gateway': AgentGatewayConfig,
  accounts: AccountsConfig,
  billing: BillingConfig,
  reporting: ReportingConfig,
  topics: TopicsConfig,
};

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

/** The environment of our pods has the settings of their programs. */
const SETTINGS_RULES = {
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

  'production refuses the secrets of trials': ({ type, values, cluster, pods: { namespace, spec } }) => {
    const isTrial = spec.volumes?.some(({ secret }) => secret && cluster.find('Secret', secret.secretName, namespace));
    return isTrial && refusalsOf(type, { ...values, NODE_ENV: 'production' }).length === 0
      ? ['its Secret is in these files, so it must be one that production refuses']
      : [];
  },
} satisfies Record<string, (process: Process) => string[]>;

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

/** A rule for all programs of a cluster, from that for one. */
export const ofEachProcess = Object.fromEntries(
  Object.entries(SETTINGS_RULES).map(([name, rule]) => [
    name,
    (cluster: Cluster) =>
      processesOf(cluster).flatMap((process) =>
        rule(process).map((sentence: string) => `${process.pods.title}: ${sentence}`),
      ),
  ]),
) as Rules;

function processesOf(cluster: Cluster): Process[] {
  return cluster.pods.flatMap((pods) => {
    const type = CONFIGS[pods.app];
    if (!type) return [];
    const declared = new Map(settingsOf(type).map((setting) => [setting.name, setting]));
    return pods.containers.map((container) => {
      const given = cluster.environmentOf(pods, container);
      const files = mountedKeys(cluster, pods, container);
      // As a program does, but from Secrets; the file of an authority is a setting itself.
      const values = Object.entries(given).map(([name, value]) =>
        declared.has(name) || !declared.has(withoutFile(name))
          ? [name, value]
          : [withoutFile(name), files[value] ?? ''],
      );
      return {
        cluster,
        pods,
        container,
        type,
        declared,
        given,
        files,
        values: Object.fromEntries(values) as Process['values'],
      };
    });
  });
}

function mountedKeys(cluster: Cluster, { namespace, spec }: Pods, { volumeMounts = [] }: Container) {
  const paths = volumeMounts.flatMap(({ name, mountPath }) => {
    const secret = spec.volumes?.find((volume) => volume.name === name)?.secret;
    const keys = Object.entries((secret && cluster.secret(secret.secretName, namespace)) ?? {});
    return keys.map(([key, value]) => [`${mountPath}/${key}`, value || (WELL_FORMED[key] ?? '')] as const);
  });
  return Object.fromEntries(paths);
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
