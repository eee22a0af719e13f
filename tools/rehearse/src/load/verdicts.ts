import { table, type KindResult, type Mix, type RequestKind } from '../cluster';
import type { Ran, Sample } from './watching';

/** Slower for one in a hundred is too slow, whatever is asked. */
export const P99_MS = 250;
/** The rest of a run may be an answer that is on its way. */
const REACHED_SHARE = 0.98;

/** The requests of one kind, and their outcomes. */
export interface KindFigures {
  kind: RequestKind;
  /** A second. */
  asked: number;
  /** Answers as expected, a second, until the last one came. */
  reached: number;
  /** Null where nothing was answered as expected. */
  p50Ms: number | null;
  p99Ms: number | null;
  failed: number;
  /** The faults, the most frequent first, with their number. */
  failures: string[];
}

/** @param begunAt by `performance.now()` @param endedAt when nothing more was sent */
export function figuresOf(
  mix: Mix,
  results: Readonly<Record<RequestKind, KindResult>>,
  { begunAt, endedAt }: Ran,
): KindFigures[] {
  return (Object.entries(mix) as [RequestKind, number][]).map(([kind, asked]) => {
    const { times, lastAt, failed, failures } = results[kind];
    const seconds = (Math.max(endedAt, lastAt) - begunAt) / 1_000;
    const sorted = Float64Array.from(times).sort();
    const at = (share: number) => (sorted.length === 0 ? null : sorted[Math.floor((sorted.length - 1) * share)]!);
    return {
      kind,
      asked,
      reached: times.length / seconds,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      failed,
      failures: counted(failures),
    };
  });
}

/** One sentence for each floor that was missed; none where all were met. */
export function missedFloors(figures: readonly KindFigures[]): string[] {
  return figures.flatMap(({ kind, asked, reached, p99Ms, failed }) => [
    ...(reached < asked * REACHED_SHARE ? [`${kind}: ${rounded(reached)} a second in place of ${rounded(asked)}`] : []),
    ...(p99Ms !== null && p99Ms > P99_MS
      ? [`${kind}: one in a hundred took ${rounded(p99Ms)} ms or more in place of ${P99_MS}`]
      : []),
    ...(failed > 0 ? [`${kind}: ${failed} failed`] : []),
  ]);
}

export function tableOf(figures: readonly KindFigures[]): string {
  const heads = ['requests', 'asked/s', 'reached/s', 'p50 ms', 'p99 ms', 'failed', 'floor'];
  const rows = figures.map((row) => {
    const { kind, asked, reached, p50Ms, p99Ms, failed } = row;
    const ms = (value: number | null) => (value === null ? '-' : value.toFixed(1));
    const floor = missedFloors([row]).length === 0 ? 'met' : 'missed';
    return [kind, rounded(asked), rounded(reached), ms(p50Ms), ms(p99Ms), String(failed), floor];
  });
  return table(heads, rows);
}

/** A sentence for each reason of a failure. */
export function reasonsOf(figures: readonly KindFigures[]): string[] {
  return figures.flatMap(({ kind, failures }) => failures.map((sentence) => `${kind}: ${sentence}`));
}

/** Equal but for time and duration is the same. */
function counted(failures: readonly string[]): string[] {
  const times = new Map<string, number>();
  for (const sentence of failures) {
    const reason = sentence.replace(/^\S+ after \d+ ms: /, '');
    times.set(reason, (times.get(reason) ?? 0) + 1);
  }
  return [...times].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${count} times: ${reason}`);
}

function rounded(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
}

/** Caches are full and code is compiled. */
export const SETTLED_MINUTES = 5;
/** Sizes of a heap move up and down: the middle of so many minutes counts. */
const WINDOW_MINUTES = 1;
export const GROWTH_MOST = 0.1;
export const LAG_MOST_SECONDS = 5;

/** The reports of all processes at one moment. */
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

export function growthTable(growths: readonly Growth[]): string {
  const rows = growths.map(({ name, fromBytes, toBytes, ratio }) => [
    name,
    megabytes(fromBytes),
    megabytes(toBytes),
    `${(ratio * 100).toFixed(1)} %`,
  ]);
  return rows.length === 0 ? '' : table(['process', `minute ${SETTLED_MINUTES}`, 'end', 'growth'], rows);
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

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MB`;
}

function middleOf(looks: readonly Look[], name: string): number {
  const sizes = looks
    .flatMap(({ samples }) => samples.filter((sample) => sample.name === name))
    .map(({ residentBytes }) => residentBytes)
    .sort((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)]!;
}
