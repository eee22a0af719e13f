import { randomBytes } from 'node:crypto';
import { OFFER } from './offer';

/** The environment of our gateway: as in production, but for the addresses of this machine and the missing chain. */
export function gatewaySettings(databaseUrl: string, facilitatorUrl: string): Record<string, string> {
  return {
    PORT: '0',
    INTERNAL_PORT: '0',
    PUBLIC_BASE_URL: 'https://evenkeel.example',
    DATABASE_URL: databaseUrl,
    FACILITATOR_URL: facilitatorUrl,
    X402_PAY_TO: OFFER.payTo,
    X402_RPC_URL: 'none',
    // The load comes from one address.
    RATE_LIMIT_SCALE: '1000000',
    ANSWER_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    RECEIPT_KEYS: `bench:${randomBytes(32).toString('base64')}`,
  };
}
