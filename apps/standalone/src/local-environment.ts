import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentGatewayConfig } from '@evenkeel/agent-gateway';
import type { ReportingConfig } from '@evenkeel/reporting';
import type { Closers } from './closers';

interface Configs {
  'agent-gateway': AgentGatewayConfig;
  reporting: ReportingConfig;
}

/** What the commands of an operator read; the password of the embedded database is new with every folder of data. */
const FOR_COMMANDS: { [App in keyof Configs]: readonly (keyof Configs[App] & string)[] } = {
  'agent-gateway': ['DATABASE_URL', 'FACILITATOR_URL', 'X402_NETWORK', 'X402_PAY_TO', 'X402_RPC_URL'],
  reporting: ['DATABASE_URL'],
};

/** Writes down how each app of a local run is reached, for the commands of its operator; gone when the run ends. */
export function writeLocalEnvironment(dataDir: string, configs: Configs, closers: Closers): void {
  write(join(dataDir, 'agent-gateway.env'), configs['agent-gateway'], FOR_COMMANDS['agent-gateway'], closers);
  write(join(dataDir, 'reporting.env'), configs.reporting, FOR_COMMANDS.reporting, closers);
}

function write<Config>(
  file: string,
  config: Config,
  names: readonly (keyof Config & string)[],
  closers: Closers,
): void {
  const lines = names.flatMap((name) => (config[name] === undefined ? [] : [`${name}='${String(config[name])}'\n`]));
  writeFileSync(file, lines.join(''), { mode: 0o600 });
  closers.add(async () => rmSync(file, { force: true }));
}
