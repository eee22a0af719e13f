import { join } from 'node:path';
import type { Streams } from '@evenkeel/platform/command-line';
import { type Environment, IsPort, loadConfig } from '@evenkeel/platform/config';
import { IsNotIn, IsOptional, IsString } from 'class-validator';
import type { Between } from './cluster/backing';
import { Cluster } from './cluster/cluster';
import type { Ending, Mix } from './traffic/traffic';

/** Everything that these commands read from the environment. */
class RehearsalConfig {
  @IsOptional()
  @IsNotIn(['production'], { message: 'NODE_ENV must not be production: this cluster moves no real money' })
  NODE_ENV?: string;
  /** Of the edge, on 127.0.0.1. */
  @IsPort() PORT = 8080;
  /** Where the state and the output of a running cluster are. */
  @IsString() DATA_DIR = '.data';
}

/** Of the help. */
export const ENVIRONMENT = {
  PORT: 'of the edge, on 127.0.0.1 (8080)',
  DATA_DIR: 'where cluster.json and the output of all processes are (.data)',
};

const SHOWN = 100;

/** What a command works with. */
export interface Surroundings {
  env: Environment;
  port: number;
  dataDir: string;
  out: (text: string) => void;
  /** A step, with the seconds that have passed. */
  report: (step: string) => void;
}

export function surroundingsOf(env: Environment, { out, err }: Streams): Surroundings {
  const { PORT: port, DATA_DIR: dataDir } = loadConfig(RehearsalConfig, env);
  const begun = performance.now();
  const report = (step: string): void =>
    err(`${((performance.now() - begun) / 1_000).toFixed(1).padStart(6)} s  ${step}\n`);
  return { env, port, dataDir, out, report };
}

/**
 * Does something with a cluster of its own, and ends it.
 * @param work @returns a sentence for each thing that is wrong
 * @returns the exit code
 */
export async function withCluster(
  { env, port, dataDir, out, report }: Surroundings,
  { name, allIsWell, between }: { name: string; allIsWell: string; between?: Between },
  work: (cluster: Cluster) => Promise<string[]>,
): Promise<number> {
  const outputFolder = join(dataDir, name);
  const cluster = await Cluster.start({ port, outputFolder, env, report, ...(between && { between }) });
  return verdict(await work(cluster).finally(() => cluster.stop()), allIsWell, out);
}

/** @returns the exit code */
export function verdict(wrong: readonly string[], allIsWell: string, out: Surroundings['out']): number {
  for (const sentence of wrong.slice(0, SHOWN)) out(`WRONG  ${sentence}\n`);
  out(wrong.length === 0 ? `${allIsWell}\n` : `${wrong.length} things are wrong.\n`);
  return wrong.length === 0 ? 0 : 1;
}

type Cells = readonly (string | number)[];

/** Lines of text, the first column to the left. */
export function table(heads: readonly string[], rows: readonly Cells[]): string {
  const first = Math.max(...rows.map(([name]) => String(name).length), heads[0]!.length) + 2;
  const line = (cells: Cells) =>
    cells.map((cell, column) => (column === 0 ? String(cell).padEnd(first) : String(cell).padStart(15))).join('');
  return [heads, ...rows].map((cells) => `${line(cells)}\n`).join('');
}

/** The requests of each kind of a mix: how many, how fast, and how many of them failed. */
export function figuresOf(mix: Mix, endings: readonly Ending[]) {
  return Object.entries(mix).map(([kind, asked]) => {
    const own = endings.filter((ending) => ending.kind === kind);
    const times = own.flatMap(({ plannedMs, error }) => (error ? [] : [plannedMs]));
    return {
      kind,
      asked,
      answered: times.length,
      failed: own.length - times.length,
      p50: atShare(times, 0.5),
      p99: atShare(times, 0.99),
    };
  });
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
