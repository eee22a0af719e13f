import { existsSync, readFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CannotStartPostgres } from './cannot-start-postgres';

const POLL_MS = 100;

/**
 * Makes sure that no server has this cluster open. One that lost its starter is about to stop and is waited for; a
 * file of one that was killed is removed.
 * @throws CannotStartPostgres when another one goes on using the cluster
 */
export async function awaitRelease(cluster: string, withinMs: number): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  const deadline = performance.now() + withinMs;
  while (existsSync(pidFile)) {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
    if (!serves(pid, cluster)) return rmSync(pidFile, { force: true });
    if (performance.now() >= deadline) {
      throw new CannotStartPostgres(
        `The database in ${cluster} is in use by process ${pid}. Stop that one, or set DATA_DIR to another folder.`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** The number alone proves nothing: after a crash of the machine any process may have it. */
function serves(pid: number, cluster: string): boolean {
  return Number.isInteger(pid) && commandLineOf(pid).includes(cluster);
}

function commandLineOf(pid: number): string {
  const { stdout } = existsSync('/proc/self/cmdline')
    ? spawnSync('cat', [`/proc/${pid}/cmdline`], { encoding: 'utf8' })
    : spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout;
}
