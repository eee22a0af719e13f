import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureProgram } from '../ensure-program';
import { startRestartable, type RestartableServer } from '../restartable-server';

/**
 * Starts HAProxy with a configuration, which says where it listens. It stops with `stop`, and also when this process ends
 * without calling it.
 * @param onLine takes each line of its own log, where the configuration has one to standard output
 * @throws CannotStartService with a sentence that says what to do
 */
export async function startHaproxy(
  configuration: string,
  { onLine }: { onLine?: (line: string) => void } = {},
): Promise<RestartableServer> {
  const program = await ensureProgram({ name: 'haproxy', debianPackage: 'haproxy', purpose: 'HAProxy 2.6 or newer' });
  return startRestartable('HAProxy', (folder) => {
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, configuration);
    // Only a master process says when its worker listens.
    return { program, args: ['-W', '-db', '-f', file], readyLine: 'Loading success', onLine };
  });
}
