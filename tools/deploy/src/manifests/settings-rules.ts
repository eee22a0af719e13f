import { AccountsConfig } from '@evenkeel/accounts';
import { AgentGatewayConfig } from '@evenkeel/agent-gateway';
import { BillingConfig } from '@evenkeel/billing';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { TopicsConfig } from '@evenkeel/ops/events';
import { InvalidConfig, loadConfig, settingsOf } from '@evenkeel/platform/config';
import { ReportingConfig } from '@evenkeel/reporting';
import type { ClassConstructor } from 'class-transformer';
import type { Cluster, Container, Pods } from './cluster';
import type { Rules } from './rules';

/** The settings of each of our images, by the label `app.kubernetes.io/name` of its pods. */
export const CONFIGS: Readonly<Record<AppName | 'topics', ClassConstructor<object>>> = {
  'agent-gateway': AgentGatewayConfig,
  accounts: AccountsConfig,
  billing: BillingConfig,
  reporting: ReportingConfig,
  topics: TopicsConfig,
};

/** Services that read events: what they could not apply waits for an operator. */
const SUBSCRIBERS: readonly AppName[] = ['accounts', 'billing', 'reporting'];

const FILE_SUFFIX = '_FILE';

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
export const SETTINGS_RULES = {
  'every service has its programs, and topics have theirs': ({ pods }) => {
    const names = new Set(pods.map(({ name }) => name));
    const wanted = APP_NAMES.flatMap((app) =>
      ['http', 'worker', 'migrate', 'operations'].map((one) => `${app}-${one}`),
    );
    const readers = SUBSCRIBERS.map((app) => `${app}-events`);
    return [...wanted, ...readers, 'topics-create']
      .filter((name) => !names.has(name))
      .map((name) => `${name}: is missing`);
  },

  'every setting exists': (cluster) =>
    eachProcess(cluster, ({ declared, given }) =>
      Object.keys(given)
        .filter((name) => !declared.has(name) && !declared.has(withoutFile(name)))
        .map((name) => `${name} is no setting of this program`),
    ),

  'secrets come from files alone': (cluster) =>
    eachProcess(cluster, ({ declared, given }, { env = [] }) => [
      ...Object.keys(given)
        .filter((name) => declared.get(name)?.isSecret)
        .map((name) => `${name} is a secret: mount it, and set ${name}${FILE_SUFFIX}`),
      ...env.filter(({ valueFrom }) => valueFrom?.secretKeyRef).map(({ name }) => `${name} must be mounted as a file`),
    ]),

  'every file of a setting is mounted, from a key that its Secret has': (cluster) =>
    eachProcess(cluster, ({ given, files }) =>
      Object.entries(given)
        .filter(([name, path]) => name.endsWith(FILE_SUFFIX) && path !== '' && files[path] === undefined)
        .map(([name, path]) => `${name}: no Secret is mounted with a key at ${path}`),
    ),

  'the program accepts its settings, and none that it needs is missing': (cluster) =>
    eachProcess(cluster, ({ type, values }) => refusalsOf(type, values)),

  'production knows its address, its servers and its operators': (cluster) =>
    eachProcess(cluster, ({ declared, values }) => {
      if (values['NODE_ENV'] !== 'production') return [];
      const wanted = ['PUBLIC_BASE_URL', 'REDIS_URL', 'KAFKA_BROKERS', 'ADMIN_TOKEN', 'FACILITATOR_URL', 'JWKS_URL'];
      return wanted.filter((name) => declared.has(name) && !values[name]).map((name) => `${name} is not set`);
    }),

  'production refuses the secrets of trials': (cluster) =>
    eachProcess(cluster, ({ type, values }, _container, { namespace, spec: { volumes = [] } }) => {
      const isTrial = volumes.some(({ secret }) => secret && cluster.find('Secret', secret.secretName, namespace));
      const refusals = isTrial ? refusalsOf(type, { ...values, NODE_ENV: 'production' }) : ['none'];
      return refusals.length > 0 ? [] : ['its Secret is in these files, so it must be one that production refuses'];
    }),
} satisfies Rules;

interface Process {
  type: ClassConstructor<object>;
  declared: ReadonlyMap<string, { isSecret: boolean }>;
  /** Its environment. */
  given: Readonly<Record<string, string>>;
  /** Texts of the mounted keys, by their paths. */
  files: Readonly<Record<string, string>>;
  /** Its settings, those of files too. */
  values: Readonly<Record<string, string>>;
}

function eachProcess(
  cluster: Cluster,
  sentences: (process: Process, container: Container, pods: Pods) => string[],
): string[] {
  return cluster.pods.flatMap((pods) => {
    const type = (CONFIGS as Readonly<Record<string, ClassConstructor<object> | undefined>>)[pods.app];
    if (!type) return [];
    const declared = new Map(settingsOf(type).map((setting) => [setting.name, setting]));
    return pods.containers.flatMap((container) => {
      const given = cluster.environmentOf(pods, container);
      const files = mountedKeys(cluster, pods, container);
      const entries = Object.entries(given).map((entry) => readFile(entry, declared, files));
      const values: Record<string, string> = Object.fromEntries(entries);
      const process = { type, declared, given, files, values };
      return sentences(process, container, pods).map((sentence) => `${pods.title}: ${sentence}`);
    });
  });
}

function withoutFile(name: string): string {
  return name.endsWith(FILE_SUFFIX) ? name.slice(0, -FILE_SUFFIX.length) : name;
}

function mountedKeys(
  cluster: Cluster,
  { namespace, spec }: Pods,
  { volumeMounts = [] }: Container,
): Record<string, string> {
  const paths = volumeMounts.flatMap(({ name, mountPath }) => {
    const secret = spec.volumes?.find((volume) => volume.name === name)?.secret;
    const keys = Object.entries((secret && cluster.secret(secret.secretName, namespace)) ?? {});
    return keys.map(([key, value]) => [`${mountPath}/${key}`, value || (WELL_FORMED[key] ?? '')] as const);
  });
  return Object.fromEntries(paths);
}

/** As a program does, but from Secrets; the file of an authority is a setting itself. */
function readFile(
  [name, value]: [string, string],
  declared: Process['declared'],
  files: Process['files'],
): [string, string] {
  return declared.has(name) || !declared.has(withoutFile(name))
    ? [name, value]
    : [withoutFile(name), files[value] ?? ''];
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
