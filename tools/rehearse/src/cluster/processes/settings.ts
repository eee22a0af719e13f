import { randomBytes } from 'node:crypto';
import type { AppName } from '@evenkeel/contracts';
import { newEs256Key } from '@evenkeel/platform/config';
import type { DevelopmentStripe } from '@evenkeel/stripe';
import type { Addresses } from './backing';

/** Processes of each kind. */
export const REPLICAS = 2;

/** Takes the payments of trials; its key does not exist. */
const PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

const secretKeys = (): string => `cluster:${randomBytes(32).toString('base64')}`;

export type ServiceSettings = Readonly<Record<AppName, Readonly<Record<string, string>>>>;

interface Shared {
  /** Of the edge. */
  url: string;
  adminToken: string;
  stripe: Pick<DevelopmentStripe, 'settings'>;
}

/** Settings of the processes of each service, except their ports; with keys of this cluster only. */
export function settingsOf(addresses: Addresses, { url, adminToken, stripe }: Shared): ServiceSettings {
  const { databases, redis, kafka, facilitator, chain, smtp } = addresses;
  const common = (app: AppName) => ({
    DATABASE_URL: databases[app],
    REDIS_URL: redis,
    KAFKA_BROKERS: kafka,
    PUBLIC_BASE_URL: url,
    TRUSTED_PROXY_HOPS: '1',
    REPLICA_COUNT: String(REPLICAS),
  });
  return {
    'agent-gateway': {
      ...common('agent-gateway'),
      FACILITATOR_URL: facilitator,
      X402_RPC_URL: chain,
      X402_PAY_TO: PAY_TO,
      ANSWER_KEYS: secretKeys(),
      RECEIPT_KEYS: secretKeys(),
    },
    accounts: {
      ...common('accounts'),
      JWT_KEYS: newEs256Key('cluster'),
      REFRESH_TOKEN_KEYS: secretKeys(),
      SMTP_URL: smtp,
    },
    billing: {
      ...common('billing'),
      ...stripe.settings(),
      STRIPE_API_BASE: addresses.stripe,
      JWKS_URL: `${url}/.well-known/jwks.json`,
    },
    reporting: { ...common('reporting'), ADMIN_TOKEN: adminToken },
  };
}

/** Everybody here has one address. What is set in the shell counts more. */
export const TRIAL_SETTINGS = { RATE_LIMIT_SCALE: '1000' } as const;
