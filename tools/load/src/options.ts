import { LOAD_MIX, type Mix, type RequestKind } from '@evenkeel/cluster';
import { choices, decimal, flag, text } from '@evenkeel/platform/command-line';

const KINDS = Object.keys(LOAD_MIX) as RequestKind[];

/** Options of load and of soak. */
export const TARGET_OPTIONS = {
  url: text({
    help: 'base address',
    placeholder: 'url',
    otherwise: 'the running cluster, else http://localhost:8080',
    matches: /^https?:\/\/[^/\s]+\/?$/,
    must: 'be http:// or https:// with a host and nothing after it',
  }),
  only: choices({ help: `${KINDS.join(', ')}; may be given more than once`, placeholder: 'kind', of: KINDS }),
  iOwnThisAddress: flag('allows an address that is not of this machine'),
};

export function scaleOption(fallback: number) {
  return decimal({ help: 'all rates times this', from: 0.001, to: 4, fallback });
}

export const ENVIRONMENT = {
  DATA_DIR: 'where the cluster says what it is (.data)',
  GATEWAY_DATABASE_URL: 'the ledger of another address, for credits',
  STRIPE_API_BASE: 'of another address, for webhooks; with STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET',
};

/** Requests a second of the kinds that were chosen. */
export function mixOf(scale: number, only: readonly RequestKind[] = KINDS): Mix {
  return Object.fromEntries(only.map((kind) => [kind, LOAD_MIX[kind]! * scale]));
}
