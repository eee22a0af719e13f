import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceConfig } from '@evenkeel/platform/config';
import type { Closers } from './closers';
import type { HostedService } from './hosted-services';

/** Writes how a service of a local run is reached, for the commands of its operator; removed when the run ends. */
export function writeLocalEnvironment(
  dataDir: string,
  { service, commandSettings }: HostedService,
  config: ServiceConfig,
  closers: Closers,
): void {
  const file = join(dataDir, `${service.name}.env`);
  const values = config as unknown as Record<string, unknown>;
  const set = commandSettings.filter((name) => values[name] !== undefined);
  writeFileSync(file, set.map((name) => `${name}='${String(values[name])}'\n`).join(''), { mode: 0o600 });
  closers.add(async () => rmSync(file, { force: true }));
}
