import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, ClusterConfig } from '../cluster';
import { CommandLine, integer, runCommand, startCommand, type Streams } from '@evenkeel/platform/command-line';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import { ensurePostgresClients } from './postgres-clients';
import { Rehearsal } from './rehearsal';

const REHEARSE = new CommandLine({
  call: 'npm run restore:rehearse',
  about: `Starts a cluster of its own, dumps its four databases under load, lets the load go on, loses PostgreSQL and Kafka, and
restores it in the order of docs/operations/database.md. Payments made after the dumps must be named by reconcile, buyers who
repeat them must not be charged again, plans bought since must come back, and all books must say the same in the end.`,
  usage: ['npm run restore:rehearse -- [options]            3 minutes'],
  options: {
    rate: integer({ help: 'requests a second', from: 1, to: 1_000, fallback: 20 }),
    seconds: integer({ help: 'of load before the dumps, and again after them', from: 1, to: 600, fallback: 15 }),
  },
  environment: {
    PORT: 'of the edge, on 127.0.0.1 (8080)',
    DATA_DIR: 'where the output of all processes is (.data)',
  },
  ends: 'Ends with 1 and a sentence for each thing that was lost unnoticed, is double, or contradicts another.',
  read: (values) => values,
});

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
