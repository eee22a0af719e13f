import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentGatewayConfig } from '@evenkeel/agent-gateway';
import type { Closers } from './closers';

/** What the commands of an operator read; the password of the embedded database is new with every folder of data. */
const FOR_COMMANDS = ['DATABASE_URL', 'FACILITATOR_URL', 'X402_NETWORK', 'X402_PAY_TO', 'X402_RPC_URL'] as const;

/** Writes down how a local run is reached, for `npm run reconcile` and `npm run payment:close`; gone when it ends. */
export function writeLocalEnvironment(dataDir: string, config: AgentGatewayConfig, closers: Closers): void {
  const file = join(dataDir, 'agent-gateway.env');
  const lines = FOR_COMMANDS.flatMap((name) => (config[name] === undefined ? [] : [`${name}='${config[name]}'\n`]));
  writeFileSync(file, lines.join(''), { mode: 0o600 });
  closers.add(async () => rmSync(file, { force: true }));
}
