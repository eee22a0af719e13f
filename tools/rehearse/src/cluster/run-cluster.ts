import { once } from 'node:events';
import { join } from 'node:path';
import type { Streams } from '@evenkeel/platform/command-line';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import { check, targetsOf } from './check/check';
import { ClusterConfig } from './cluster.config';
import type { Wanted } from './command';
import { ControlSocket, restart } from './control/control';
import { readState, removeState, writeState, type ClusterState } from './control/state';
import { Cluster } from './processes/cluster';
import { runJourneys } from './run-journeys';

/** @returns the exit code */
export async function runCluster(wanted: Wanted, env: Environment, { out, err }: Streams): Promise<number> {
  const { PORT: port, DATA_DIR: dataDir } = loadConfig(ClusterConfig, env);
  const begun = performance.now();
  const report = (step: string): void =>
    err(`${((performance.now() - begun) / 1_000).toFixed(1).padStart(6)} s  ${step}\n`);
  switch (wanted.action) {
    case 'start':
      await start({ port, dataDir, env, out, report });
      return 0;
    case 'restart': {
      const rolls = await restart(dataDir, wanted.target, report);
      for (const { name, exit, readyMs } of rolls) out(`${name}  ended in ${exit.ms} ms, ready in ${readyMs} ms\n`);
      return 0;
    }
    case 'check': {
      const cluster = await Cluster.start({ port, outputFolder: join(dataDir, 'cluster'), env, report });
      const { rounds, rate } = wanted;
      return (await check(cluster, { rounds, rate, report, out }).finally(() => cluster.stop())) ? 0 : 1;
    }
    case 'journeys':
      return runJourneys(readState(dataDir), env);
  }
}

interface Start {
  port: number;
  dataDir: string;
  env: Environment;
  out: (text: string) => void;
  report: (step: string) => void;
}

async function start({ port, dataDir, env, out, report }: Start): Promise<void> {
  const wish = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  const outputFolder = join(dataDir, 'cluster');
  const cluster = await Cluster.start({ port, outputFolder, env, report });
  const control = await ControlSocket.open(cluster);
  const state = stateOf(cluster, control.path);
  writeState(dataDir, state);
  out(greeting(state, outputFolder));
  await wish;
  report('stopping');
  control.close();
  removeState(dataDir);
  await cluster.stop();
}

function stateOf(cluster: Cluster, socket: string): ClusterState {
  const { facilitator, databases } = cluster.backing;
  const processes = cluster.replicas.map(({ app, kind, internalUrl, process: { name } }) => ({
    ...{ name, app, kind, internalUrl },
  }));
  return { ...targetsOf(cluster), facilitatorUrl: facilitator.url, socket, databases, processes };
}

function greeting({ url, facilitatorUrl, stripeUrl, adminToken }: ClusterState, outputFolder: string): string {
  return `
Evenkeel runs at ${url}
  operators    ${url}/dashboard   token: ${adminToken}
  facilitator  ${facilitatorUrl}
  Stripe       ${stripeUrl}
  output       ${outputFolder}

In another terminal:
  npm run cluster -- restart accounts
  npm run cluster -- journeys

Ctrl-C stops it.
`;
}
