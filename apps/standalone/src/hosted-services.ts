import { ACCOUNTS } from '@evenkeel/accounts';
import { AGENT_GATEWAY } from '@evenkeel/agent-gateway';
import { BILLING } from '@evenkeel/billing';
import type { Environment, ServiceConfig } from '@evenkeel/platform/config';
import type { Service } from '@evenkeel/platform/service';
import { REPORTING } from '@evenkeel/reporting';
import type { FacilitatorAddress } from './backing-services';
import { localKeys } from './local-keys';
import type { StandaloneConfig } from './standalone.config';

/** The servers that this process has started before its services. */
export interface LocalRun {
  standalone: StandaloneConfig;
  facilitator: FacilitatorAddress;
}

/** One service of this process. */
export interface HostedService {
  // Each has a config class of its own, and is given no other.
  service: Service<ServiceConfig>;
  /** The environment with what this process adds to it. */
  settings(env: Environment, local: LocalRun): Environment;
}

function hosted(service: Service<ServiceConfig>, settings: HostedService['settings'] = (env) => env): HostedService {
  return { service, settings };
}

/** Every service of the product that runs here; the first answers paths that no other owns. */
export const SERVICES: readonly HostedService[] = [
  hosted(AGENT_GATEWAY, gatewaySettings),
  hosted(REPORTING),
  hosted(ACCOUNTS, accountsSettings),
  hosted(BILLING),
];

/** Takes the payments of local runs; its key does not exist, and no real money can reach it there. */
const LOCAL_PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

function gatewaySettings(env: Environment, { standalone, facilitator }: LocalRun): Environment {
  const { isProduction, DATA_DIR } = standalone;
  return {
    ...(!isProduction && {
      X402_PAY_TO: LOCAL_PAY_TO,
      ANSWER_KEYS: localKeys(DATA_DIR, 'answer'),
      RECEIPT_KEYS: localKeys(DATA_DIR, 'receipt'),
    }),
    X402_RPC_URL: facilitator.rpcUrl,
    ...env,
    FACILITATOR_URL: facilitator.url,
  };
}

function accountsSettings(env: Environment, { standalone: { isProduction, DATA_DIR } }: LocalRun): Environment {
  const keys = { JWT_KEYS: localKeys(DATA_DIR, 'access'), REFRESH_TOKEN_KEYS: localKeys(DATA_DIR, 'refresh') };
  return { ...(!isProduction && keys), ...env };
}
