import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, type Socket, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import type { Cluster, Roll } from './processes/cluster';

/** A process of a service, as others see it. */
export interface ClusterMember {
  /** `accounts-1`, `accounts-worker-1`. */
  name: string;
  app: AppName;
  kind: 'http' | 'worker';
  /** Of health and metrics. */
  internalUrl: string;
}

/** The facts about a running cluster for other programs. */
export interface ClusterState {
  /** Of the edge. */
  url: string;
  /** Of the development facilitator, with `/control` and `/ledger`. */
  facilitatorUrl: string;
  /** Of the development Stripe, with `/control`. */
  stripeUrl: string;
  stripeKey: string;
  webhookSecret: string;
  adminToken: string;
  /** Takes commands. */
  socket: string;
  /** By service. */
  databases: Readonly<Record<string, string>>;
  processes: readonly ClusterMember[];
}

/** Nothing runs, or not with this folder. */
export class NoCluster extends Error {
  constructor(dataDir: string) {
    super(`No cluster runs with DATA_DIR=${dataDir}. Start one with "npm run cluster".`);
  }
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'cluster.json');
}

/** Readable by this user alone: it holds passwords. */
export function writeState(dataDir: string, state: ClusterState): void {
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(fileIn(dataDir), JSON.stringify(state, null, 2), { mode: 0o600 });
}

/** @throws NoCluster */
export function readState(dataDir: string): ClusterState {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as ClusterState;
  } catch {
    throw new NoCluster(dataDir);
  }
}

export function removeState(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true });
}

/** In the order of compose. */
export type Target = AppName | 'all';

type Reply = { step: string } | { done: Roll[] } | { failed: string };

/** Takes `{"restart": "accounts"}` from other processes of this user, one at a time. */
export class ControlSocket {
  private constructor(
    readonly path: string,
    private readonly server: Server,
    private readonly folder: string,
  ) {}

  static async open(cluster: Pick<Cluster, 'roll'>): Promise<ControlSocket> {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-cluster-'));
    const path = join(folder, 'control.sock');
    let last: Promise<unknown> = Promise.resolve();
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      createInterface({ input: socket }).once('line', (line) => {
        last = last.then(() => follow(cluster, line, socket));
      });
    });
    server.listen(path);
    await once(server, 'listening');
    return new ControlSocket(path, server, folder);
  }

  close(): void {
    this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function follow(cluster: Pick<Cluster, 'roll'>, line: string, socket: Socket): Promise<void> {
  const say = (reply: Reply): void => void socket.write(`${JSON.stringify(reply)}\n`);
  try {
    const { restart } = JSON.parse(line) as { restart: Target };
    const rolls: Roll[] = [];
    for (const app of appsOf(restart)) {
      say({ step: `restarting ${app}` });
      rolls.push(...(await cluster.roll(app)));
    }
    say({ done: rolls });
  } catch (error) {
    say({ failed: (error as Error).message });
  }
  socket.end();
}

export function appsOf(target: Target): readonly AppName[] {
  return target === 'all' ? APP_NAMES : [target];
}

/**
 * Restarts one service, or all, of the cluster that runs with a folder.
 * @throws NoCluster; Error with what the cluster said
 */
export async function restart(dataDir: string, target: Target, report: (step: string) => void): Promise<Roll[]> {
  const socket = connect(readState(dataDir).socket);
  await once(socket, 'connect').catch(() => {
    throw new NoCluster(dataDir);
  });
  socket.write(`${JSON.stringify({ restart: target })}\n`);
  for await (const line of createInterface({ input: socket })) {
    const reply = JSON.parse(line) as Reply;
    if ('done' in reply) return reply.done;
    if ('failed' in reply) throw new Error(reply.failed);
    report(reply.step);
  }
  throw new Error('The cluster ended before it was done.');
}
