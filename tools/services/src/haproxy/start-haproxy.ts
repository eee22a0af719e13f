import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CannotStartService, ensureProgram, type Program } from '../ensure-program';
import { logToOperator, type OperatorLog } from '../operator-log';
import { startRestartable, type RestartableServer } from '../restartable-server';

interface HaproxyOptions {
  /** Takes each line of its own log, where the configuration has one to standard output. */
  onLine?: (line: string) => void;
  /** Default: standard error. */
  log?: OperatorLog;
}

const HAPROXY: Program = {
  name: 'haproxy',
  debianPackage: 'haproxy',
  purpose: 'HAProxy 2.6 or newer',
};

/**
 * Starts HAProxy with a configuration, which says where it listens. It stops with `stop`, and also when this process ends
 * without calling it.
 * @throws CannotStartService with a sentence that says what to do
 */
export async function startHaproxy(configuration: string, options: HaproxyOptions = {}): Promise<RestartableServer> {
  const program = await ensureProgram(HAPROXY, options.log ?? logToOperator);
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration);
  // Only a master process says when its worker listens.
  const command = { program, args: ['-W', '-db', '-f', file], readyLine: 'Loading success', onLine: options.onLine };
  return startRestartable(command, folder).catch((error: unknown) => {
    throw new CannotStartService(`HAProxy did not start: ${(error as Error).message}.`, { cause: error });
  });
}
