import { setTimeout as sleep } from 'node:timers/promises';
import { METRIC_PREFIX } from '@evenkeel/contracts';
import { scrape } from '@evenkeel/platform/testing';
import type { ClusterMember } from '../cluster/control';
import { table } from '../rehearsal';

/** Figures of a process that it shows itself. */
interface Sample {
  name: string;
  residentBytes: number;
  /** Events that wait in its outbox, and those of its topics that it has not read. */
  waiting: number;
}

/** The reports of all processes at one moment. */
export interface Look {
  minute: number;
  samples: readonly Sample[];
}

/** @throws Error that names the process when it does not answer */
export async function lookAt(processes: readonly ClusterMember[]): Promise<Look> {
  const samples = processes.map(async ({ name, internalUrl }): Promise<Sample> => {
    const page = await scrape(internalUrl).catch((cause: Error) => {
      throw new Error(`${name} does not show its metrics at ${internalUrl}: ${cause.message}`, { cause });
    });
    const most = (metric: string): number => Math.max(0, ...page.of(metric, {}).map(({ value }) => value));
    return {
      name,
      residentBytes: most('process_resident_memory_bytes'),
      waiting: most(`${METRIC_PREFIX}outbox_unpublished`) + most(`${METRIC_PREFIX}consumer_lag`),
    };
  });
  return { minute: performance.now() / 60_000, samples: await Promise.all(samples) };
}

const POLL_MS = 250;
const WITHIN_MS = 300_000;

/**
 * Resolves when every event is published and read.
 * @returns seconds that it took
 * @throws Error when that takes more than five minutes
 */
export async function untilCaughtUp(processes: readonly ClusterMember[]): Promise<number> {
  const begun = performance.now();
  for (;;) {
    const { samples } = await lookAt(processes);
    const waiting = Math.max(...samples.map((sample) => sample.waiting));
    const passed = performance.now() - begun;
    if (waiting === 0) return passed / 1_000;
    if (passed > WITHIN_MS) throw new Error(`After ${WITHIN_MS / 60_000} minutes ${waiting} events still wait.`);
    await sleep(POLL_MS);
  }
}

/** Caches are full and code is compiled. */
export const SETTLED_MINUTES = 5;
/** Sizes of a heap move up and down: the middle of so many minutes is taken. */
const WINDOW_MINUTES = 1;
export const GROWTH_MOST = 0.1;

/**
 * Resident memory of each process after minute 5 and at the end; nothing where the soak was too short to tell.
 * @returns a table, and a sentence for each process that grew too much
 */
export function growthOf(looks: readonly Look[]): { text: string; wrong: string[] } {
  const [begin, end] = [looks[0]!.minute, looks.at(-1)!.minute];
  if (end - begin < SETTLED_MINUTES + 2 * WINDOW_MINUTES)
    return { text: 'It was too short to say how memory grows.\n', wrong: [] };
  const middleOf = (name: string, from: number): number => {
    const sizes = looks
      .filter(({ minute }) => minute >= from && minute <= from + WINDOW_MINUTES)
      .flatMap(({ samples }) => samples.filter((sample) => sample.name === name))
      .map(({ residentBytes }) => residentBytes / 1_048_576)
      .sort((a, b) => a - b);
    return sizes[Math.floor(sizes.length / 2)]!;
  };
  const growths = looks.at(-1)!.samples.map(({ name }) => {
    const [from, to] = [middleOf(name, begin + SETTLED_MINUTES), middleOf(name, end - WINDOW_MINUTES)];
    return { name, from: `${Math.round(from)} MB`, to: `${Math.round(to)} MB`, ratio: to / from - 1 };
  });
  const rows = growths.map(({ name, from, to, ratio }) => [name, from, to, `${(ratio * 100).toFixed(1)} %`]);
  return {
    text: table(['process', `minute ${SETTLED_MINUTES}`, 'end', 'growth'], rows),
    wrong: growths
      .filter(({ ratio }) => ratio >= GROWTH_MOST)
      .map(({ name, from, to }) => `${name}: resident memory went from ${from} to ${to}`),
  };
}
