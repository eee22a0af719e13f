import { AgentGatewayConfig } from '@evenkeel/agent-gateway';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import { ReportingConfig } from '@evenkeel/reporting';
import type { FacilitatorAddress } from './backing-services';
import { localAnswerKeys, localReceiptKeys } from './local-keys';
import type { StandaloneConfig } from './standalone.config';

/** Takes the payments of local runs; nobody has its key, and no real money can reach it there. */
const LOCAL_PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

/** What this process knows better than its environment. */
interface Known {
  PORT: string;
  DATABASE_URL: string;
}

export function gatewayConfig(
  env: Environment,
  { isProduction, DATA_DIR }: StandaloneConfig,
  { url: FACILITATOR_URL, rpcUrl: X402_RPC_URL }: FacilitatorAddress,
  known: Known,
): AgentGatewayConfig {
  return loadConfig(AgentGatewayConfig, {
    ...(!isProduction && {
      X402_PAY_TO: LOCAL_PAY_TO,
      ANSWER_KEYS: localAnswerKeys(DATA_DIR),
      RECEIPT_KEYS: localReceiptKeys(DATA_DIR),
    }),
    X402_RPC_URL,
    ...env,
    ...known,
    FACILITATOR_URL,
  });
}

export function reportingConfig(env: Environment, known: Known): ReportingConfig {
  return loadConfig(ReportingConfig, { ...env, ...known });
}
