import { randomBytes } from 'node:crypto';
import type { AppName } from '@evenkeel/contracts';
import { newEs256Key } from '@evenkeel/platform/config';
import type { Targets } from '../traffic/caller';
import type { Addresses, Backing } from './backing';

/** Processes of each kind. */
export const REPLICAS = 2;

/** Takes the payments of trials; its key does not exist. */
const PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

const secretKeys = (): string => `cluster:${randomBytes(32).toString('base64')}`;

/** Settings of the processes of each service, except their ports; with keys of this cluster only. */
export function settingsOf(
  addresses: Addresses,
  { stripe, facilitator }: Backing,
  { url, adminToken }: Pick<Targets, 'url' | 'adminToken'>,
): Readonly<Record<AppName, NodeJS.ProcessEnv>> {
  const common = (app: AppName) => ({
    DATABASE_URL: addresses.databases[app],
    REDIS_URL: addresses.redis,
    KAFKA_BROKERS: addresses.kafka,
    PUBLIC_BASE_URL: url,
    TRUSTED_PROXY_HOPS: '1',
    REPLICA_COUNT: String(REPLICAS),
  });
  return {
    'agent-gateway': {
      ...common('agent-gateway'),
      FACILITATOR_URL: addresses.facilitator,
      X402_RPC_URL: facilitator.rpcUrl,
      X402_PAY_TO: PAY_TO,
      ANSWER_KEYS: secretKeys(),
      RECEIPT_KEYS: secretKeys(),
    },
    accounts: {
      ...common('accounts'),
      JWT_KEYS: newEs256Key('cluster'),
      REFRESH_TOKEN_KEYS: secretKeys(),
      SMTP_URL: addresses.smtp,
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
