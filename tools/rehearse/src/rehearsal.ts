import { join } from 'node:path';
import {
  type Command,
  InvalidArgumentError,
  type OptionValues,
  runCommand,
  type Streams,
  type Typed,
} from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { Cluster } from './cluster/cluster';
import type { Lines } from './faults/lines';
import { type Ending, type Mix, Traffic } from './traffic/traffic';

/** For the end of a help. */
export const ENVIRONMENT = `
Environment:
  PORT      of the edge, on 127.0.0.1 (8080)
  DATA_DIR  where cluster.json and the output of all processes are (.data)`;

export const ENDS =
  'Ends with 0 when all is well, with 1 and a sentence for each thing that is wrong, with 2 when it was called wrongly.';

export interface Surroundings {
  env: Environment;
  port: number;
  dataDir: string;
  out: (text: string) => void;
  /** A step, with the seconds that have passed. */
  report: (step: string) => void;
}

/** A command of this tool. @param run @returns the exit code */
export function command<Args extends unknown[], Options extends OptionValues>(
  line: Command<Args, Options>,
  run: (typed: Typed<Args, Options>, surroundings: Surroundings) => Promise<number>,
) {
  return (args: readonly string[], env: Environment, streams: Streams): Promise<number> =>
    runCommand(line, args, streams, (typed, { out, err }) => {
      const { PORT = '8080', DATA_DIR: dataDir = '.data', NODE_ENV } = env;
      if (NODE_ENV === 'production')
        throw new InvalidArgumentError('NODE_ENV must not be production: this moves no real money');
      const seconds = () => (performance.now() / 1_000).toFixed(1).padStart(6);
      return run(typed, { env, port: Number(PORT), dataDir, out, report: (step) => err(`${seconds()} s  ${step}\n`) });
    });
}

interface Rehearsal {
  /** Of the folder with the output of its processes. */
  name: string;
  allIsWell: string;
  people: number;
  mix: Mix;
  lines?: Lines;
}

/**
 * The life of a rehearsal: a cluster of its own opens, traffic begins, something is done, all ends, and the verdict is printed.
 * @param work stops the traffic and compares the books @returns a sentence for each thing that is wrong
 * @returns the exit code
 */
export async function rehearse(
  { env, port, dataDir, out, report }: Surroundings,
  { name, allIsWell, people, mix, lines }: Rehearsal,
  work: (cluster: Cluster, traffic: Traffic) => Promise<string[]>,
): Promise<number> {
  const cluster = await Cluster.start({ port, outputFolder: join(dataDir, name), env, report, lines });
  try {
    await using traffic = new Traffic(cluster.targets);
    report(`${people} people register and upgrade`);
    await traffic.prepare(people);
    const begun = performance.now();
    traffic.start(mix);
    const wrong = await work(cluster, traffic);
    out(`\n${figuresTable(figuresOf(mix, traffic.endings, (performance.now() - begun) / 1_000))}`);
    return verdict(wrong, allIsWell, out);
  } finally {
    await cluster.stop();
  }
}

const SENTENCES_SHOWN = 100;

/** @returns the exit code */
export function verdict(wrong: readonly string[], allIsWell: string, out: Surroundings['out']): number {
  for (const sentence of wrong.slice(0, SENTENCES_SHOWN)) out(`WRONG  ${sentence}\n`);
  out(wrong.length === 0 ? `${allIsWell}\n` : `${wrong.length} things are wrong.\n`);
  return wrong.length === 0 ? 0 : 1;
}

/** The requests of each kind of a mix: how many a second were asked for and answered, how fast, and how many failed. */
export function figuresOf(mix: Mix, endings: readonly Ending[], seconds: number) {
  return Object.entries(mix).map(([kind, asked]) => {
    const own = endings.filter((ending) => ending.kind === kind);
    const times = own.filter(({ error }) => !error).map(({ plannedMs }) => plannedMs);
    const [p50, p99] = [atShare(times, 0.5), atShare(times, 0.99)];
    return { kind, asked, reached: times.length / seconds, p50, p99, failed: own.length - times.length };
  });
}

export function figuresTable(figures: ReturnType<typeof figuresOf>): string {
  const heads = ['requests', 'asked/s', 'reached/s', 'p50 ms', 'p99 ms', 'failed'];
  const rows = figures.map(({ kind, failed, ...rates }) => [
    kind,
    ...Object.values(rates).map((rate) => rate.toFixed(1)),
    String(failed),
  ]);
  const lines = [heads, ...rows].map((cells) => cells.map((cell) => cell.padEnd(12)).join(''));
  return `${lines.join('\n')}\n`;
}

/** The value that this share of others does not exceed; 0 where there are none. */
export function atShare(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

/** Of a request that failed, with the reason below it. */
export function sentenceOf({ kind, ms, error }: Ending): string {
  const cause = error?.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${kind}${error ? `: ${error.message}${cause}` : ''}, after ${Math.round(ms)} ms`;
}
