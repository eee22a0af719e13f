import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { Argument, Command, InvalidArgumentError, integerOption } from '@evenkeel/platform/command-line';
import { settledBooks } from '../books';
import { command, ENVIRONMENT, rehearse, sentenceOf, type Surroundings } from '../rehearsal';
import type { Targets } from '../traffic/caller';
import { steadyMix, type Traffic } from '../traffic/traffic';
import { Cluster, ROOT, type Roll } from './cluster';

const LINE = new Command('npm run cluster --')
  .description(
    `The whole product on this machine as it runs elsewhere: PostgreSQL, Redis, Kafka, HAProxy, the development facilitator and
Stripe, and every service with its worker from its build, two processes each. Ctrl-C ends all; nothing is kept.`,
  )
  .addArgument(new Argument('[action]').choices(['start', 'restart', 'journeys', 'check']).default('start' as const))
  .addArgument(new Argument('[service]', 'of restart').choices([...APP_NAMES, 'all']))
  .addOption(integerOption('--rate <n>', 'of check: requests a second', 1, 1_000).default(50))
  .addHelpText(
    'after',
    `
  npm run cluster                          starts it, and prints its addresses
  npm run cluster -- restart <service>     restarts its processes one after the other; all: every service
  npm run cluster -- journeys              runs the journeys of apps/standalone against it
  npm run cluster -- check                 starts one of its own, and restarts all of it under load (5 minutes)
${ENVIRONMENT}
  RATE_LIMIT_SCALE  multiplies every rate limit (1000)

Other settings of the services are taken from the shell. Missing programs are installed from Debian's packages as root,
else the command is said.`,
  );

export const cluster = command(LINE, async ({ rate, args: [action, target] }, surroundings) => {
  if ((target === undefined) === (action === 'restart'))
    throw new InvalidArgumentError('Only restart takes one word: a service');
  switch (action) {
    case 'start':
      return start(surroundings);
    case 'restart':
      return restart(target === undefined || target === 'all' ? APP_NAMES : [target], surroundings);
    case 'journeys':
      return runJourneys(surroundings);
    case 'check': {
      const allIsWell = 'No request failed, no effect was lost or double.';
      const about = { name: 'check', allIsWell, people: 10, mix: steadyMix(rate, ['register', 'checkout']) };
      return rehearse(surroundings, about, (it, traffic) => check(it, traffic, surroundings));
    }
  }
});

const STEADY_MS = 10_000;
const SIGTERM_LIMIT_MS = 15_000;

/**
 * Restarts each service of a cluster under a rate of mixed requests: no request fails, no effect is lost or double, and each process
 * ends in time.
 */
async function check(it: Cluster, traffic: Traffic, { report }: Surroundings): Promise<string[]> {
  const rolls: Roll[] = [];
  await sleep(STEADY_MS);
  for (const app of APP_NAMES) rolls.push(...(await it.roll(app)));
  await sleep(STEADY_MS);
  await traffic.stop();
  report('the traffic has ended: comparing the books');
  return [
    ...(await settledBooks(it.backing, traffic)),
    ...rolls
      .filter(({ code, ms }) => code !== 0 || ms >= SIGTERM_LIMIT_MS)
      .map(({ name, code, signal, ms }) => `${name} ended with ${signal ?? String(code)} after ${ms} ms`),
    ...traffic.endings.filter(({ error }) => error).map(sentenceOf),
  ];
}

/** The facts about a running cluster for other programs. */
export interface ClusterState extends Targets {
  /** Of the development facilitator, with `/control` and `/ledger`. */
  facilitatorUrl: string;
  /** Restarts the service whose name is posted. */
  controlUrl: string;
  databases: Readonly<Record<AppName, string>>;
  processes: readonly { name: string; internalUrl: string }[];
}

async function start({ port, dataDir, env, out, report }: Surroundings): Promise<number> {
  const wish = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  const outputFolder = join(dataDir, 'cluster');
  const it = await Cluster.start({ port, outputFolder, env, report });
  const control = createServer((incoming, response) => {
    it.roll(incoming.url!.slice(1) as AppName).then(
      (rolls) =>
        response.end(
          rolls.map(({ name, ms, readyMs }) => `${name}  ended in ${ms} ms, ready in ${readyMs} ms\n`).join(''),
        ),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await once(control.listen(0, '127.0.0.1'), 'listening');
  const state: ClusterState = {
    ...it.targets,
    facilitatorUrl: it.backing.facilitator.url,
    controlUrl: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
    databases: it.backing.databases,
    processes: it.replicas.map(({ name, internalUrl }) => ({ name, internalUrl })),
  };
  mkdirSync(dataDir, { recursive: true });
  // It holds passwords.
  writeFileSync(stateFile(dataDir), JSON.stringify(state, null, 2), { mode: 0o600 });
  out(`
Evenkeel runs at ${state.url}
  operators    ${state.url}/dashboard   token: ${state.adminToken}
  facilitator  ${state.facilitatorUrl}
  Stripe       ${state.stripeUrl}
  output       ${outputFolder}

In another terminal:
  npm run cluster -- restart accounts
  npm run cluster -- journeys

Ctrl-C stops it.
`);
  await wish;
  report('stopping');
  control.close();
  rmSync(stateFile(dataDir), { force: true });
  await it.stop();
  return 0;
}

function stateFile(dataDir: string): string {
  return join(dataDir, 'cluster.json');
}

/** @throws Error that says how to start one */
export function readState(dataDir: string): ClusterState {
  try {
    return JSON.parse(readFileSync(stateFile(dataDir), 'utf8')) as ClusterState;
  } catch (cause) {
    throw noCluster(dataDir, cause);
  }
}

function noCluster(dataDir: string, cause: unknown): Error {
  return new Error(`No cluster runs with DATA_DIR=${dataDir}. Start one with "npm run cluster".`, { cause });
}

async function restart(apps: readonly AppName[], { dataDir, out }: Surroundings): Promise<number> {
  const { controlUrl } = readState(dataDir);
  for (const app of apps) {
    const answer = await fetch(`${controlUrl}/${app}`, { method: 'POST' }).catch((cause: Error) => {
      throw noCluster(dataDir, cause);
    });
    const lines = await answer.text();
    if (answer.status !== 200) throw new Error(lines);
    out(lines);
  }
  return 0;
}

/** Runs the journeys of apps/standalone, with their output on the terminal. @returns the exit code of Jest */
async function runJourneys({ dataDir, env }: Surroundings): Promise<number> {
  const { url, facilitatorUrl, stripeUrl, adminToken, databases } = readState(dataDir);
  const settings = {
    ...env,
    JOURNEYS_URL: url,
    JOURNEYS_FACILITATOR_URL: facilitatorUrl,
    JOURNEYS_STRIPE_URL: stripeUrl,
    JOURNEYS_ADMIN_TOKEN: adminToken,
    // They look into no database; with one of their own, Jest would start a server for it.
    DATABASE_URL: databases.accounts,
  };
  const args = ['apps/standalone/src/journeys', '--maxWorkers=1'];
  const jest = spawn(join(ROOT, 'node_modules/.bin/jest'), args, { cwd: ROOT, env: settings, stdio: 'inherit' });
  const [code] = (await once(jest, 'exit')) as [number | null];
  return code ?? 1;
}
