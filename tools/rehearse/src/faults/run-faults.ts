import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { BadUsage, CommandLine, type Streams, choices, flag, integer } from '@evenkeel/platform/command-line';
import { type Environment, loadConfig } from '@evenkeel/platform/config';
import { Cluster, ClusterConfig, table } from '../cluster';
import { type FaultRow, eachFault } from './each-fault';
import { Lines, THINGS, type Thing } from './lines';
import { randomFaults } from './random-faults';
import { Trial } from './trial';
import { wrongInFaults } from './verdicts';

export type Wanted =
  | { action: 'each'; rate: number; things: readonly Thing[] }
  | { action: 'random'; rate: number; minutes: number; seed: number };

export const FAULTS = new CommandLine({
  call: 'npm run faults',
  about: `Starts a cluster of its own, sends mixed requests to it, and lets each thing below the services fail: nobody listens (20 s),
everything hangs (20 s), every answer comes 500 ms later (10 s). Who does not need the thing must be answered as ever; who does
must be refused soon, and be served again within 5 s of the end; no process may end; no effect may be lost or double.`,
  usage: [
    'npm run faults                                       each thing in turn: 14 minutes',
    'npm run faults -- --only redis --only stripe         these alone',
    'npm run faults -- --random --minutes 15 --seed 7     faults and kills at random; then the books are compared',
  ],
  parts: { Things: THINGS.join('\n') },
  options: {
    only: choices({ help: 'of the things; may be given more than once', of: THINGS }),
    random: flag('faults of all of them, with SIGKILL of processes, at times that the seed decides'),
    minutes: integer({ help: 'of --random', from: 1, to: 600, fallback: 15 }),
    seed: integer({ help: 'of --random', from: 0, to: 2 ** 31 - 1, fallback: 1 }),
    rate: integer({ help: 'requests a second', from: 10, to: 1_000, fallback: 50 }),
  },
  environment: {
    PORT: 'of the edge, on 127.0.0.1 (8080)',
    DATA_DIR: 'where the output of all processes is (.data)',
  },
  ends: 'Ends with 1 and a sentence for each thing that is wrong.',
  read: ({ only, random, minutes, seed, rate }): Wanted => {
    if (random && only) throw new BadUsage('--random takes all things: leave out --only');
    return random ? { action: 'random', rate, minutes, seed } : { action: 'each', rate, things: only ?? THINGS };
  },
});

const SHOWN = 100;

/** @returns the exit code: 1 when anything is wrong */
export async function runFaults(wanted: Wanted, env: Environment, { out, err }: Streams): Promise<number> {
  const { PORT: port, DATA_DIR: dataDir } = loadConfig(ClusterConfig, env);
  const begun = performance.now();
  const report = (step: string): void =>
    err(`${((performance.now() - begun) / 1_000).toFixed(1).padStart(6)} s  ${step}\n`);
  const lines = await Lines.open();
  try {
    const options = { port, outputFolder: join(dataDir, 'faults'), env, report, between: lines };
    const cluster = await Cluster.start(options);
    try {
      const wrong = await oneTrial(new Trial(cluster, lines), wanted, { out, report, begun });
      for (const sentence of wrong.slice(0, SHOWN)) out(`WRONG  ${sentence}\n`);
      if (wrong.length > SHOWN) out(`and ${wrong.length - SHOWN} more\n`);
      out(wrong.length === 0 ? 'All promises hold.\n' : `${wrong.length} things are wrong.\n`);
      return wrong.length === 0 ? 0 : 1;
    } finally {
      await cluster.stop();
    }
  } finally {
    await lines.close();
  }
}

interface Told {
  out: (text: string) => void;
  report: (step: string) => void;
  begun: number;
}

async function oneTrial(trial: Trial, wanted: Wanted, { out, report, begun }: Told): Promise<string[]> {
  try {
    report('people register and upgrade');
    await trial.start(wanted.rate);
    if (wanted.action === 'random') {
      const down = await randomFaults(trial, wanted, report);
      const failed = trial.answers.filter(({ error }) => error !== undefined).length;
      const wrong = await trial.settle(report);
      out(`${trial.answers.length} requests, ${failed} of them failed while things failed.\n`);
      return [...wrong, ...down, ...wrongInFaults(trial.answers, begun)];
    }
    const delay = monitorEventLoopDelay();
    delay.enable();
    const rows = await eachFault(trial, wanted.things, report);
    delay.disable();
    const effects = await trial.settle(report);
    out(tableOf(rows()));
    const heldUpMs = Math.round(delay.max / 1e6);
    out(`This command, which sends and stands between, was held up for ${heldUpMs} ms at the longest.\n`);
    return [...effects, ...rows().flatMap(({ wrong }) => wrong)];
  } finally {
    await trial.close();
  }
}

function tableOf(rows: readonly FaultRow[]): string {
  const heads = ['fault', 'requests', 'failed', 'others p99 ms', 'documents p99', 'back after ms', 'wrong'];
  const cells = rows.map(({ name, requests, failed, othersP99, documentsP99, backAfterMs, wrong }) => [
    name,
    requests,
    failed,
    othersP99,
    documentsP99,
    backAfterMs,
    wrong.length,
  ]);
  return `\n${table(heads, cells)}`;
}
