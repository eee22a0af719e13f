import { SystemClock } from '@evenkeel/kernel';
import { failureSentence, off, ok, wrong, type Finding, type Probe } from '@evenkeel/platform/service';
import { getAddress, parseAbi, type PublicClient } from 'viem';
import type { AgentGatewayConfig } from '../config/agent-gateway.config';
import { FacilitatorConnection, type Attempt } from '../facilitator/facilitator-connection';
import { rpcClient } from '../recovery/rpc-client';

/** Probes of the gateway, beside those of every service. */
export function probes(config: AgentGatewayConfig): Probe[] {
  return [
    { subject: 'facilitator', settings: 'FACILITATOR_URL', examine: (stepMs) => examineFacilitator(config, stepMs) },
    { subject: 'chain', settings: 'X402_RPC_URL', examine: () => examineChain(config) },
  ];
}

async function examineFacilitator(config: AgentGatewayConfig, timeoutMs: number): Promise<Finding[]> {
  const subject = 'facilitator';
  if (config.FACILITATOR_URL === undefined) {
    return [wrong(subject, 'FACILITATOR_URL is not set: every payment is refused. Set the address of a facilitator.')];
  }
  const name = `The facilitator at ${new URL(config.FACILITATOR_URL).host}`;
  const connection = new FacilitatorConnection(config, new SystemClock());
  try {
    const attempt = await connection.call('/supported', { timeoutMs, retryConnection: false });
    if (attempt.kind === 'answer') return [supportedFinding(attempt, name, config)];
    const { cause } = attempt;
    const code = cause.startsWith('no answer') ? 'ETIMEDOUT' : cause;
    const failure = Object.assign(new Error(cause), { code });
    return [wrong(subject, failureSentence(failure, { name, settings: 'FACILITATOR_URL' }))];
  } finally {
    await connection.close();
  }
}

const KEYS = 'FACILITATOR_CDP_KEY_ID and FACILITATOR_CDP_KEY_SECRET';

function supportedFinding(
  { status, body }: Extract<Attempt, { kind: 'answer' }>,
  name: string,
  { paymentTerms: { chain }, cdpKey }: AgentGatewayConfig,
): Finding {
  const subject = 'facilitator';
  if (status === 401 || status === 403) {
    const remedy = cdpKey === null ? `set ${KEYS}, which it asks for` : `correct ${KEYS}`;
    return wrong(subject, `${name} answers ${status}: ${remedy}.`);
  }
  const kinds = Object(body) as { kinds?: unknown };
  if (status !== 200 || !Array.isArray(kinds.kinds)) {
    return wrong(subject, `${name} answers ${status} to /supported, and no list of networks: correct FACILITATOR_URL.`);
  }
  const listed = kinds.kinds as ({ scheme?: unknown; network?: unknown } | null)[];
  const networks = listed.filter((kind) => kind?.scheme === 'exact').map((kind) => String(kind?.network));
  if (!networks.some((network) => network === chain.caip2 || network === chain.shortName)) {
    const there = networks.length === 0 ? 'none' : [...new Set(networks)].join(', ');
    const remedy = 'correct X402_NETWORK or FACILITATOR_URL';
    return wrong(subject, `${name} does not settle on ${chain.caip2} (${there}): ${remedy}.`);
  }
  return ok(subject, `${name} settles on ${chain.caip2}.`);
}

async function examineChain(config: AgentGatewayConfig): Promise<Finding[]> {
  const { rpcUrl, paymentTerms } = config;
  if (rpcUrl === null) {
    return [off('chain', 'X402_RPC_URL names no chain: payments of unknown outcome stay with the operator.')];
  }
  const client = rpcClient(rpcUrl);
  const { chain } = paymentTerms;
  try {
    const chainId = await client.getChainId();
    if (chainId !== chain.chainId) {
      const there = `${new URL(rpcUrl).host} is chain ${chainId}, and ${chain.caip2} is offered`;
      return [wrong('chain', `${there}: correct X402_RPC_URL or X402_NETWORK.`)];
    }
    return [ok('chain', `${new URL(rpcUrl).host} is chain ${chainId}.`), await assetFinding(client, config)];
  } catch (error) {
    return [wrong('chain', `${(error as Error).message} Correct X402_RPC_URL, or let this process reach it.`)];
  }
}

const TOKEN_DOMAIN = parseAbi(['function name() view returns (string)', 'function version() view returns (string)']);

/** Buyers sign the name of the token: with another name or version every payment is refused. */
async function assetFinding(client: PublicClient, { paymentTerms }: AgentGatewayConfig): Promise<Finding> {
  const { asset, assetName, assetVersion } = paymentTerms;
  const token = { address: getAddress(asset), abi: TOKEN_DOMAIN };
  try {
    const name = await client.readContract({ ...token, functionName: 'name' });
    const version = await client.readContract({ ...token, functionName: 'version' });
    if (name === assetName && version === assetVersion) return ok('asset', `${asset} is ${name}, version ${version}.`);
    const there = `${asset} calls itself ${name}, version ${version}, and offers say ${assetName}, version ${assetVersion}`;
    return wrong('asset', `${there}: correct X402_ASSET_NAME and X402_ASSET_VERSION.`);
  } catch {
    return wrong('asset', `${asset} is no token with a name and a version there: correct X402_ASSET or X402_NETWORK.`);
  }
}
