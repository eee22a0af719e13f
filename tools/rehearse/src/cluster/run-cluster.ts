import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { BadUsage, CommandLine, type Streams, integer, oneOf } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { settledBooks } from '../books';
import {
  ENVIRONMENT,
  figuresOf,
  sentenceOf,
  type Surroundings,
  surroundingsOf,
  table,
  withCluster,
} from '../rehearsal';
import { steadyMix, Traffic } from '../traffic/traffic';
import { Cluster, ROOT, type Roll } from './cluster';
import { announce, readState, restart } from './control';

type Wanted =
  { action: 'start' | 'journeys' } | { action: 'check'; rate: number } | { action: 'restart'; target: AppName | 'all' };

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
    'npm run cluster -- check                 starts one of its own, and restarts all of it under load (5 minutes)',
  ],
  parts: { Services: APP_NAMES.join('\n') },
  options: {
    rate: integer({ help: 'of check: requests a second', from: 1, to: 1_000, fallback: 50 }),
  },
  environment: { ...ENVIRONMENT, RATE_LIMIT_SCALE: 'multiplies every rate limit (1000)' },
  ends: `Other settings of the services are taken from the shell. Missing programs are installed from Debian's packages as root,
else the command is said.`,
  takesArguments: true,
  read: ({ rate }, [typed = 'start', ...more]): Wanted => {
    const action = oneOf(['start', 'restart', 'journeys', 'check'] as const, typed, 'The first word');
    if (more.length !== (action === 'restart' ? 1 : 0)) throw new BadUsage('Only restart takes one word: a service');
    if (action === 'restart') return { action, target: oneOf(TARGETS, more[0]!, 'The service') };
    return action === 'check' ? { action, rate } : { action };
  },
});

/** @returns the exit code */
export async function runCluster(wanted: Wanted, env: Environment, streams: Streams): Promise<number> {
  const surroundings = surroundingsOf(env, streams);
  const { dataDir, out } = surroundings;
  switch (wanted.action) {
    case 'start':
      await start(surroundings);
      return 0;
    case 'restart':
      out(await restart(dataDir, wanted.target));
      return 0;
    case 'check': {
      const allIsWell = 'No request failed, no effect was lost or double.';
      return withCluster(surroundings, { name: 'cluster', allIsWell }, (cluster) =>
        check(cluster, wanted.rate, surroundings),
      );
    }
    case 'journeys':
      return runJourneys(surroundings);
  }
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

const PEOPLE = 10;
const STEADY_MS = 10_000;
const SIGTERM_LIMIT_MS = 15_000;

/**
 * Restarts each service of a cluster under a rate of mixed requests: no request fails, no effect is lost or double, and each process
 * ends in time.
 */
async function check(cluster: Cluster, rate: number, { report, out }: Surroundings): Promise<string[]> {
  await using traffic = new Traffic(cluster.targets);
  const mix = steadyMix(rate, ['register', 'checkout']);
  const rolls: Roll[] = [];
  report(`${PEOPLE} people register and upgrade`);
  await traffic.prepare(PEOPLE);
  traffic.start(mix);
  await sleep(STEADY_MS);
  for (const app of APP_NAMES) rolls.push(...(await cluster.roll(app)));
  await sleep(STEADY_MS);
  await traffic.stop();
  report('the traffic has ended: comparing the books');
  const books = await settledBooks(cluster.backing, traffic);
  const rows = figuresOf(mix, traffic.endings).map(({ kind, answered, failed, p50, p99 }) => [
    kind,
    answered,
    failed,
    Math.round(p50),
    Math.round(p99),
  ]);
  out(`\n${table(['requests', 'answered', 'failed', 'p50 ms', 'p99 ms'], rows)}`);
  const slowest = Math.max(...rolls.map(({ exit }) => exit.ms));
  out(`${rolls.length} restarts, the slowest end ${slowest} ms after SIGTERM.\n`);
  return [
    ...traffic.endings.filter(({ error }) => error).map(sentenceOf),
    ...rolls
      .filter(({ exit: { code, ms } }) => code !== 0 || ms > SIGTERM_LIMIT_MS)
      .map(({ name, exit: { code, signal, ms } }) => `${name} ended with ${signal ?? String(code)} after ${ms} ms`),
    ...books,
  ];
}

async function start({ port, dataDir, env, out, report }: Surroundings): Promise<void> {
  const wish = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  const outputFolder = join(dataDir, 'cluster');
  const cluster = await Cluster.start({ port, outputFolder, env, report });
  cluster.keepAlive();
  const { url, adminToken, facilitatorUrl, stripeUrl, close } = await announce(cluster, dataDir);
  out(`
Evenkeel runs at ${url}
  operators    ${url}/dashboard   token: ${adminToken}
  facilitator  ${facilitatorUrl}
  Stripe       ${stripeUrl}
  output       ${outputFolder}

In another terminal:
  npm run cluster -- restart accounts
  npm run cluster -- journeys

Ctrl-C stops it.
`);
  await wish;
  report('stopping');
  close();
  await cluster.stop();
}
