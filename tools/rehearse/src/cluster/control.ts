import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { Agent, request } from 'undici';
import type { Targets } from '../traffic/caller';
import type { Cluster } from './cluster';

/** A process of a service, as others see it. */
export interface ClusterMember {
  /** `accounts-1`, `accounts-worker-1`. */
  name: string;
  /** Of health and metrics. */
  internalUrl: string;
}

/** The facts about a running cluster for other programs. */
export interface ClusterState extends Targets {
  /** Of the development facilitator, with `/control` and `/ledger`. */
  facilitatorUrl: string;
  /** Takes commands. */
  socket: string;
  databases: Readonly<Record<AppName, string>>;
  processes: readonly ClusterMember[];
}

/** @throws Error that says how to start one */
export function readState(dataDir: string): ClusterState {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'cluster.json'), 'utf8')) as ClusterState;
  } catch (cause) {
    throw noCluster(dataDir, cause);
  }
}

function noCluster(dataDir: string, cause: unknown): Error {
  return new Error(`No cluster runs with DATA_DIR=${dataDir}. Start one with "npm run cluster".`, { cause });
}

/**
 * Says to other programs of this user that the cluster runs, and restarts a service when one of them asks.
 * @returns its facts, and what withdraws them
 */
export async function announce(cluster: Cluster, dataDir: string): Promise<ClusterState & { close: () => void }> {
  const { facilitator, databases } = cluster.backing;
  const socket = join(cluster.folder, 'control.sock');
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer((incoming, response) => {
    last = last
      .then(async () => {
        const target = incoming.url!.slice(1) as AppName | 'all';
        const rolls = [];
        for (const app of target === 'all' ? APP_NAMES : [target]) rolls.push(...(await cluster.roll(app)));
        response.end(
          rolls.map(({ name, exit, readyMs }) => `${name}  ended in ${exit.ms} ms, ready in ${readyMs} ms\n`).join(''),
        );
      })
      .catch((error: Error) => response.writeHead(500).end(error.message));
  });
  await once(server.listen(socket), 'listening');
  const processes = cluster.replicas.map(({ internalUrl, process: { name } }) => ({ name, internalUrl }));
  const state = { ...cluster.targets, facilitatorUrl: facilitator.url, socket, databases, processes };
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, 'cluster.json');
  // It holds passwords.
  writeFileSync(file, JSON.stringify(state, null, 2), { mode: 0o600 });
  const close = (): void => {
    server.close();
    rmSync(file, { force: true });
  };
  return { ...state, close };
}

/**
 * Restarts one service, or all, of the cluster that runs with a folder.
 * @returns a line for each process
 * @throws Error with a sentence of ours or of the cluster
 */
export async function restart(dataDir: string, target: AppName | 'all'): Promise<string> {
  const dispatcher = new Agent({ connect: { socketPath: readState(dataDir).socket }, headersTimeout: 0 });
  const asked = request(`http://cluster/${target}`, { method: 'POST', dispatcher });
  const { statusCode, body } = await asked.catch((cause: Error) => {
    throw noCluster(dataDir, cause);
  });
  const said = await body.text();
  if (statusCode !== 200) throw new Error(said);
  return said;
}
