import { randomBytes } from 'node:crypto';
import type { AppName } from '@evenkeel/contracts';
import { newEs256Key } from '@evenkeel/platform/keys';
import type { Backing } from './backing';

/** Processes of each kind. */
export const REPLICAS = 2;

/** Takes the payments of trials; its key does not exist. */
const PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

const secretKeys = (): string => `cluster:${randomBytes(32).toString('base64')}`;

export type ServiceSettings = Readonly<Record<AppName, Readonly<Record<string, string>>>>;

/** What the processes of each service read, but for their ports; with keys of this cluster alone. */
export function settingsOf(
  backing: Backing,
  { url, adminToken }: { url: string; adminToken: string },
): ServiceSettings {
  const { databases, redis, kafka, facilitator, stripe } = backing;
  const common = (app: AppName) => ({
    ...{ DATABASE_URL: databases[app], REDIS_URL: redis.url, KAFKA_BROKERS: kafka.brokers, PUBLIC_BASE_URL: url },
    ...{ TRUSTED_PROXY_HOPS: '1', REPLICA_COUNT: String(REPLICAS) },
  });
  return {
    'agent-gateway': {
      ...common('agent-gateway'),
      ...{ FACILITATOR_URL: facilitator.url, X402_RPC_URL: facilitator.rpcUrl, X402_PAY_TO: PAY_TO },
      ...{ ANSWER_KEYS: secretKeys(), RECEIPT_KEYS: secretKeys() },
    },
    accounts: { ...common('accounts'), JWT_KEYS: newEs256Key('cluster'), REFRESH_TOKEN_KEYS: secretKeys() },
    billing: { ...common('billing'), ...stripe.settings(), JWKS_URL: `${url}/.well-known/jwks.json` },
    reporting: { ...common('reporting'), ADMIN_TOKEN: adminToken },
  };
}

/** Everybody here has one address; mails have nowhere to go. What is set in the shell counts more. */
export const TRIAL_SETTINGS = { RATE_LIMIT_SCALE: '1000', SMTP_URL: 'none' } as const;
