import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { ensureDatabase } from '@evenkeel/services';
import { builtProgram } from '../processes/build';
import type { Cluster } from '../processes/cluster';
import { ClusterProcess } from '../processes/cluster-process';

/**
 * Starts two replicas of a service at once on an empty database, again and again: one of their two migrations does all, the
 * other nothing, and both replicas get ready.
 * @returns a sentence for each round that went otherwise
 */
export async function startTogether(
  cluster: Cluster,
  rounds: number,
  report: (step: string) => void,
): Promise<string[]> {
  const found: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-together-'));
  try {
    for (const app of APP_NAMES) {
      for (let round = 1; round <= rounds; round++) {
        const wrong = await oneRound(cluster, app, round, folder).catch((error: Error) => error.message);
        if (wrong !== undefined) found.push(`${app}, round ${round}: ${wrong}`);
      }
      report(`two of ${app} were started at once ${rounds} times`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return found;
}

async function oneRound(cluster: Cluster, app: AppName, round: number, folder: string): Promise<string | undefined> {
  const database = `together_${app.replaceAll('-', '_')}_${round}`;
  const ports = { PORT: '0', INTERNAL_PORT: '0' };
  const env = {
    ...cluster.environmentOf(app),
    ...ports,
    DATABASE_URL: await ensureDatabase(cluster.backing.postgres.url, database),
  };
  const started = (program: 'main' | 'migrate', number: number) => {
    const name = `${database}-${program}-${number}`;
    return new ClusterProcess({ name, app, script: builtProgram(app, program), env, outputFile: join(folder, name) });
  };
  const replicas = [1, 2].map((number) => started('main', number));
  const migrations = [1, 2].map((number) => started('migrate', number));
  try {
    const [said] = await Promise.all([
      Promise.all(migrations.map((migration) => migration.run())),
      ...replicas.map((replica) => replica.start()),
    ]);
    const ran = said.filter((text) => text.startsWith('migrated: '));
    const idle = said.filter((text) => text.startsWith('nothing to migrate'));
    return ran.length === 1 && idle.length === 1 ? undefined : `the migrations said ${JSON.stringify(said)}`;
  } finally {
    await Promise.all([...replicas, ...migrations].map((one) => one.stop('SIGKILL')));
  }
}
