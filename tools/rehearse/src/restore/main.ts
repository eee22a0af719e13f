import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, ClusterConfig } from '../cluster';
import { runCommand, startCommand, type Streams } from '@evenkeel/platform/command-line';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import { REHEARSE } from './command';
import { ensurePostgresClients } from './postgres-clients';
import { Rehearsal } from './rehearsal';

async function rehearse(
  { rate, seconds }: { rate: number; seconds: number },
  env: Environment,
  { out, err }: Streams,
): Promise<number> {
  const { PORT: port, DATA_DIR: dataDir } = loadConfig(ClusterConfig, env);
  const begun = performance.now();
  const report = (step: string): void =>
    err(`${((performance.now() - begun) / 1_000).toFixed(1).padStart(6)} s  ${step}\n`);
  const clients = await ensurePostgresClients(report);
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-dumps-'));
  try {
    const cluster = await Cluster.start({ port, outputFolder: join(dataDir, 'restore'), env, report });
    const trafficMs = seconds * 1_000;
    const rehearsal = new Rehearsal(cluster, { clients, folder, rate, trafficMs, report });
    const wrong = await rehearsal.run().finally(() => cluster.stop());
    for (const sentence of wrong) out(`WRONG  ${sentence}\n`);
    out(wrong.length === 0 ? 'Restored: nothing was lost unnoticed.\n' : `${wrong.length} things are wrong.\n`);
    return wrong.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

startCommand(process.env, (args, env, streams) =>
  runCommand(REHEARSE, args, streams, (wanted, safe) => rehearse(wanted, env, safe)),
);
