import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsOf, type Environment } from '@evenkeel/platform/config';
import type { Closers } from './closers';
import type { HostedService } from './hosted-services';

/**
 * Writes the settings of a service of a local run, for a shell that gives commands of its operator; removed when the run ends.
 * @param given the environment that it has read
 */
export function writeLocalEnvironment(
  dataDir: string,
  { service }: HostedService,
  given: Environment,
  closers: Closers,
): void {
  const file = join(dataDir, `${service.name}.env`);
  const lines = settingsOf(service.config).flatMap(({ name }) => {
    const value = given[name];
    return value ? [`${name}='${value.replaceAll("'", `'\\''`)}'\n`] : [];
  });
  writeFileSync(file, lines.join(''), { mode: 0o600 });
  closers.add(async () => rmSync(file, { force: true }));
}
