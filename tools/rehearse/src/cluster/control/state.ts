import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppName } from '@evenkeel/contracts';

/** A process of a service, as others see it. */
export interface ClusterMember {
  /** `accounts-1`, `accounts-worker-1`. */
  name: string;
  app: AppName;
  kind: 'http' | 'worker';
  /** Of health and metrics. */
  internalUrl: string;
}

/** What other programs need to know of a running cluster. */
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
