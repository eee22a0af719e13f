import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { BadUsage, CommandLine, type Streams, integer, oneOf } from '@evenkeel/platform/command-line';
import { type Environment, IsPort, loadConfig } from '@evenkeel/platform/config';
import { IsNotIn, IsOptional, IsString } from 'class-validator';
import { check, targetsOf } from './check/check';
import { type ClusterState, ControlSocket, readState, removeState, restart, writeState } from './control';
import { ROOT } from './processes/build';
import { Cluster } from './processes/cluster';

/** Everything the commands of the cluster read from the environment. */
export class ClusterConfig {
  @IsOptional()
  @IsNotIn(['production'], { message: 'NODE_ENV must not be production: this cluster moves no real money' })
  NODE_ENV?: string;
  /** Of the edge, on 127.0.0.1. */
  @IsPort() PORT = 8080;
  /** Where the state and the output of a running cluster are. */
  @IsString() DATA_DIR = '.data';
}

export type Wanted =
  { action: 'start' | 'journeys' } | { action: 'check'; rate: number } | { action: 'restart'; target: AppName | 'all' };

const ACTIONS = ['start', 'restart', 'journeys', 'check'] as const;
const TARGETS = [...APP_NAMES, 'all'] as const;

export const CLUSTER = new CommandLine({
  call: 'npm run cluster',
  about: `The whole product on this machine as it runs elsewhere: PostgreSQL, Redis, Kafka, HAProxy, the development facilitator and
Stripe, and every service with its worker from its build, two processes each. A process that dies is started again.
Ctrl-C ends all; nothing is kept.`,
  usage: [
    'npm run cluster                          starts it, and prints its addresses',
    'npm run cluster -- restart <service>     restarts its processes one after the other; all: every service',
    'npm run cluster -- journeys              runs the journeys of apps/standalone against it',
    'npm run cluster -- check                 starts one of its own, and restarts all of it under load (10 minutes)',
  ],
  parts: { Services: APP_NAMES.join('\n') },
  options: {
    rate: integer({ help: 'of check: requests a second', from: 1, to: 1_000, fallback: 50 }),
  },
  environment: {
    PORT: 'of the edge, on 127.0.0.1 (8080)',
    DATA_DIR: 'where cluster.json and the output of all processes are (.data)',
    RATE_LIMIT_SCALE: 'multiplies every rate limit (1000)',
  },
  ends: `Other settings of the services are taken from the shell. Missing programs are installed from Debian's packages as root,
else the command is said.`,
  takesArguments: true,
  read: ({ rate }, [typed = 'start', ...more]): Wanted => {
    const action = oneOf(ACTIONS, typed, 'The first word');
    if (action !== 'restart') {
      if (more.length > 0) throw new BadUsage(`${action} takes nothing more, not ${more.join(' ')}`);
      return action === 'check' ? { action, rate } : { action };
    }
    if (more.length !== 1) throw new BadUsage(`Name one of ${TARGETS.join(', ')}`);
    return { action, target: oneOf(TARGETS, more[0]!, 'The service') };
  },
});

/**
 * Runs the journeys of apps/standalone against a cluster, with their output on the terminal.
 * @returns the exit code of Jest
 */
export async function runJourneys(state: ClusterState, shell: NodeJS.ProcessEnv): Promise<number> {
  const env = {
    ...shell,
    JOURNEYS_URL: state.url,
    JOURNEYS_FACILITATOR_URL: state.facilitatorUrl,
    JOURNEYS_STRIPE_URL: state.stripeUrl,
    JOURNEYS_ADMIN_TOKEN: state.adminToken,
    // They look into no database; with one of their own, Jest would start a server for it.
    DATABASE_URL: Object.values(state.databases)[0]!,
  };
  const args = ['apps/standalone/src/journeys', '--maxWorkers=1'];
  const jest = spawn(join(ROOT, 'node_modules/.bin/jest'), args, { cwd: ROOT, env, stdio: 'inherit' });
  const [code] = (await once(jest, 'exit')) as [number | null];
  return code ?? 1;
}

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
      const { rate } = wanted;
      return (await check(cluster, { rate, report, out }).finally(() => cluster.stop())) ? 0 : 1;
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
  cluster.keepAlive();
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
    name,
    app,
    kind,
    internalUrl,
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
