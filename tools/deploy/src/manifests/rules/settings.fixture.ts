import type { SETTINGS_RULES } from './settings';
import { CONFIG, CONTAINER, HTTP, WORKER, type SamplesOf } from './sample.fixture';

export const SETTINGS_SAMPLES: SamplesOf<typeof SETTINGS_RULES> = {
  'every service has its programs, and topics have theirs': [
    [/^accounts-worker: /, [WORKER, '']],
    [/^billing-migrate: /, ['Job billing-migrate', '']],
    [/^topics-create: /, ['Job topics-create', '']],
    [/^accounts-operations: /, ['CronJob accounts-operations', '']],
    [/^reporting-events: /, ['CronJob reporting-events', '']],
  ],
  'every setting exists': [
    [/accounts-http: SMPT_URL_FILE is no setting/, [CONFIG, 'data/SMPT_URL_FILE', '/run/secrets/evenkeel/SMTP_URL']],
    [/accounts-http: STRIPE_PRICE_MONTHLY is no setting/, [CONFIG, 'data/STRIPE_PRICE_MONTHLY', 'price_1']],
    [/accounts-http: LOG_LEVEL is no setting/, [HTTP, `${CONTAINER}/env`, [{ name: 'LOG_LEVEL', value: 'debug' }]]],
    [
      /accounts-http: NODE_OPTIONS is no setting/,
      [HTTP, `${CONTAINER}/env`, [{ name: 'NODE_OPTIONS', value: '--max-semi-space-size=8' }]],
    ],
    [/topics-create: DATABASE_URL is no setting/, ['ConfigMap topics-config', 'data/DATABASE_URL', 'postgres://a/b']],
  ],
  'secrets come from files alone': [
    [/accounts-http: SMTP_URL is a secret/, [CONFIG, 'data/SMTP_URL', 'none']],
    [
      /accounts-http: JWT_KEYS must be mounted/,
      [
        HTTP,
        `${CONTAINER}/env`,
        [{ name: 'JWT_KEYS', valueFrom: { secretKeyRef: { name: 'accounts-secrets', key: 'JWT_KEYS' } } }],
      ],
    ],
  ],
  'every file of a setting is mounted, from a key that its Secret has': [
    [/SMTP_URL_FILE: no Secret/, [CONFIG, 'data/SMTP_URL_FILE', '/run/secrets/SMTP_URL']],
    [/DATABASE_URL_FILE: no Secret/, [HTTP, `${CONTAINER}/volumeMounts/0`]],
    [/BREACH_LIST_FILE: no Secret/, [CONFIG, 'data/BREACH_LIST_FILE', '/run/secrets/evenkeel/LIST']],
  ],
  'the program accepts its settings, and none that it needs is missing': [
    [/accounts-http: DATABASE_URL must/, [CONFIG, 'data/DATABASE_URL_FILE']],
    [/accounts-http: SMTP_URL must/, [CONFIG, 'data/SMTP_URL_FILE', '']],
    [/agent-gateway-http: X402_RPC_URL/, ['ConfigMap agent-gateway-config', 'data/X402_RPC_URL_FILE']],
    [/agent-gateway-worker: X402_PAY_TO/, ['ConfigMap agent-gateway-config', 'data/X402_PAY_TO']],
    [/accounts-http: DB_POOL_MAX must/, [CONFIG, 'data/DB_POOL_MAX', 'ten']],
    [/billing-http: JWKS_URL must/, ['ConfigMap billing-config', 'data/JWKS_URL', 'http://accounts.example/jwks']],
    [/topics-create: KAFKA_BROKERS must/, ['ConfigMap topics-config', 'data/KAFKA_BROKERS']],
    [/accounts-http: KAFKA_SASL_PASSWORD/, [CONFIG, 'data/KAFKA_SASL_PASSWORD_FILE']],
  ],
  'production knows its address, its servers and its operators': [
    [/accounts-http: PUBLIC_BASE_URL/, [CONFIG, 'data/PUBLIC_BASE_URL']],
    [/accounts-http: REDIS_URL/, [CONFIG, 'data/REDIS_URL_FILE']],
    [/CronJob accounts-operations: PUBLIC_BASE_URL/, [CONFIG, 'data/PUBLIC_BASE_URL']],
    [/accounts-worker: KAFKA_BROKERS/, [CONFIG, 'data/KAFKA_BROKERS']],
    [/reporting-http: ADMIN_TOKEN/, ['ConfigMap reporting-config', 'data/ADMIN_TOKEN_FILE']],
    [/agent-gateway-http: FACILITATOR_URL/, ['ConfigMap agent-gateway-config', 'data/FACILITATOR_URL_FILE']],
    [/billing-http: JWKS_URL/, ['ConfigMap billing-config', 'data/JWKS_URL']],
  ],
  'production refuses the secrets of trials': [
    [
      'dev',
      /accounts-http: its Secret is in these files/,
      ['Secret accounts-secrets', 'data', secretOf({ DATABASE_URL: 'postgres://a@b/c', SMTP_URL: 'none' })],
      [CONFIG, 'data/SMTP_URL_FILE', '/run/secrets/evenkeel/SMTP_URL'],
    ],
  ],
};

/** As Kubernetes keeps it, with well-formed keys. */
function secretOf(values: Readonly<Record<string, string>>): Record<string, string> {
  const key = `own:${Buffer.alloc(32, 7).toString('base64')}`;
  const all = { REDIS_URL: 'redis://r', JWT_KEYS: key, REFRESH_TOKEN_KEYS: key, ...values };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, Buffer.from(value).toString('base64')]));
}
