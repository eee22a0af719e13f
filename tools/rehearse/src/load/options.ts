import { LOAD_MIX, type Mix, type RequestKind } from '../cluster';
import { BadUsage, choices, decimal, flag, text, type Option } from '@evenkeel/platform/command-line';

const KINDS = Object.keys(LOAD_MIX) as RequestKind[];

const BASE_ADDRESS = {
  matches: /^https?:\/\/[^/\s]+\/?$/,
  must: 'be http:// or https:// with a host and nothing after it',
};

/** Processes to watch, each after an option of its own. */
export const METRICS_OPTION: Option<string[]> = {
  placeholder: 'url',
  help: 'internal address of a process to watch; may be given more than once (those of the running cluster)',
  repeats: true,
  read: (texts, name) => {
    if (!texts.every((typed) => BASE_ADDRESS.matches.test(typed)))
      throw new BadUsage(`${name} must ${BASE_ADDRESS.must}`);
    return [...texts];
  },
};

/** Options of load and of soak. */
export const TARGET_OPTIONS = {
  url: text({
    help: 'base address',
    placeholder: 'url',
    otherwise: 'the running cluster, else http://localhost:8080',
    ...BASE_ADDRESS,
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
