import type { Sample } from '../metrics/read-metrics';

/** Caches are full and code is compiled. */
export const SETTLED_MINUTES = 5;
/** Sizes of a heap move up and down: the middle of so many minutes counts. */
const WINDOW_MINUTES = 1;
export const GROWTH_MOST = 0.1;
export const LAG_MOST_SECONDS = 5;

/** What all processes said at one moment. */
export interface Look {
  /** Since the soak began. */
  minute: number;
  samples: readonly Sample[];
}

export interface Growth {
  name: string;
  fromBytes: number;
  toBytes: number;
  /** 0.1 is a tenth more at the end than after minute 5. */
  ratio: number;
}

/** Resident memory of each process after minute 5 and at the end; nothing where the soak was too short to tell. */
export function growthsOf(looks: readonly Look[]): Growth[] {
  const end = looks.at(-1)?.minute ?? 0;
  if (end < SETTLED_MINUTES + 2 * WINDOW_MINUTES) return [];
  const settled = looks.filter(({ minute }) => minute >= SETTLED_MINUTES && minute < SETTLED_MINUTES + WINDOW_MINUTES);
  const last = looks.filter(({ minute }) => minute > end - WINDOW_MINUTES);
  return looks.at(-1)!.samples.map(({ name }) => {
    const [fromBytes, toBytes] = [middleOf(settled, name), middleOf(last, name)];
    return { name, fromBytes, toBytes, ratio: toBytes / fromBytes - 1 };
  });
}

/** A sentence for each process that grew too much. */
export function grown(growths: readonly Growth[]): string[] {
  return growths
    .filter(({ ratio }) => ratio >= GROWTH_MOST)
    .map(({ name, fromBytes, toBytes, ratio }) => {
      const percent = Math.round(ratio * 1_000) / 10;
      return `${name}: resident memory went from ${megabytes(fromBytes)} after minute ${SETTLED_MINUTES} to ${megabytes(toBytes)}, ${percent} % more`;
    });
}

/**
 * A sentence for each lag at the end.
 * @param drainedSeconds from the last request until every event was published and read
 */
export function lagging({ samples }: Look, drainedSeconds: number): string[] {
  return [
    ...samples
      .filter(({ oldestSeconds }) => oldestSeconds >= LAG_MOST_SECONDS)
      .map(({ name, oldestSeconds }) => `${name}: an event waited ${oldestSeconds.toFixed(1)} s to be published`),
    ...(drainedSeconds >= LAG_MOST_SECONDS
      ? [`events were published and read only ${drainedSeconds.toFixed(1)} s after the last request`]
      : []),
  ];
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MB`;
}

function middleOf(looks: readonly Look[], name: string): number {
  const sizes = looks
    .flatMap(({ samples }) => samples.filter((sample) => sample.name === name))
    .map(({ residentBytes }) => residentBytes)
    .sort((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)]!;
}
