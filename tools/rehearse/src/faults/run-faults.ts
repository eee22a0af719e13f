import { join } from 'node:path';
import { Cluster, ClusterConfig } from '../cluster';
import type { Streams } from '@evenkeel/platform/command-line';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import type { Wanted } from './command';
import { eachFault, type FaultRow } from './each-fault';
import { Lines } from './lines';
import { randomFaults } from './random-faults';
import { Trial } from './trial';
import { wrongInFaults } from './verdicts';

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
    const rows = await eachFault(trial, wanted.things, report);
    const effects = await trial.settle(report);
    out(table(rows()));
    return [...effects, ...rows().flatMap(({ wrong }) => wrong)];
  } finally {
    await trial.close();
  }
}

function table(rows: readonly FaultRow[]): string {
  const heads = ['fault', 'requests', 'failed', 'others p99 ms', 'back after ms', 'wrong'];
  const cells = rows.map((row) => [
    row.name,
    row.requests,
    row.failed,
    row.othersP99,
    row.backAfterMs,
    row.wrong.length,
  ]);
  const line = (of: readonly (string | number)[]) =>
    of.map((cell, column) => (column === 0 ? String(cell).padEnd(32) : String(cell).padStart(15))).join('');
  return `\n${[heads, ...cells].map(line).join('\n')}\n`;
}
