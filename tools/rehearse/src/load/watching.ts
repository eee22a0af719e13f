import { setTimeout as sleep } from 'node:timers/promises';
import { METRIC_PREFIX, type MetricName } from '@evenkeel/contracts';
import type { ClusterMember, Mix, RequestKind, Traffic } from '../cluster';

const ANSWERED_WITHIN_MS = 3_000;
const NODE_METRICS = { resident: 'process_resident_memory_bytes', cpu: 'process_cpu_seconds_total' } as const;

type WatchedProcess = Pick<ClusterMember, 'name' | 'internalUrl'>;

/** Figures of a process that it shows itself. */
export interface Sample {
  name: string;
  residentBytes: number;
  /** Since it began. */
  cpuSeconds: number;
  /** Age of the oldest event that it has not published; 0 where it publishes none. */
  oldestSeconds: number;
  /** Events that wait in its outbox, and those of its topics that it has not read. */
  waiting: number;
}

/** @throws Error that names the process when it does not answer */
export async function readSamples(processes: readonly WatchedProcess[]): Promise<Sample[]> {
  return Promise.all(processes.map(readSample));
}

async function readSample({ name, internalUrl }: WatchedProcess): Promise<Sample> {
  try {
    const answer = await fetch(`${internalUrl}/metrics`, { signal: AbortSignal.timeout(ANSWERED_WITHIN_MS) });
    return sampleIn(name, await answer.text());
  } catch (error) {
    throw new Error(`${name} does not show its metrics at ${internalUrl}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** @param page in the text format of Prometheus */
function sampleIn(name: string, page: string): Sample {
  const [resident] = valuesOf(page, NODE_METRICS.resident);
  if (resident === undefined) throw new Error(`there is no ${NODE_METRICS.resident} on the page`);
  return {
    name,
    residentBytes: resident,
    cpuSeconds: valuesOf(page, NODE_METRICS.cpu)[0] ?? 0,
    oldestSeconds: Math.max(0, ...ours(page, 'outbox_oldest_seconds')),
    waiting: Math.max(0, ...ours(page, 'outbox_unpublished')) + Math.max(0, ...ours(page, 'consumer_lag')),
  };
}

function ours(page: string, name: MetricName): number[] {
  return valuesOf(page, `${METRIC_PREFIX}${name}`);
}

function valuesOf(page: string, name: string): number[] {
  const lines = page.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'gm'));
  return [...lines].map(([, value]) => Number(value));
}

const POLL_MS = 250;
const REPORT_MS = 5_000;
const WITHIN_MS = 300_000;

/**
 * Resolves when every event is published and read.
 * @returns seconds that it took
 * @throws Error when that takes more than five minutes
 */
export async function untilCaughtUp(
  processes: readonly WatchedProcess[],
  report: (step: string) => void,
): Promise<number> {
  const begun = performance.now();
  let reported = begun;
  for (;;) {
    const samples = await readSamples(processes);
    const waiting = samples.reduce((sum, sample) => Math.max(sum, sample.waiting), 0);
    const now = performance.now();
    if (waiting === 0) return (now - begun) / 1_000;
    if (now - begun > WITHIN_MS) throw new Error(`After ${WITHIN_MS / 60_000} minutes ${waiting} events still wait.`);
    if (now - reported > REPORT_MS) {
      report(`up to ${waiting} events of a service wait to be published or read`);
      reported = now;
    }
    await sleep(POLL_MS);
  }
}

/** Cores that each service used between two looks, main and worker of all replicas together. */
export function coresOf(before: readonly Sample[], after: readonly Sample[], seconds: number): [string, number][] {
  const used = new Map<string, number>();
  after.forEach(({ name, cpuSeconds }, index) => {
    const service = name.replace(/-\d+$/, '');
    // A process that was restarted meanwhile began again from 0.
    const cpu = Math.max(0, cpuSeconds - before[index]!.cpuSeconds);
    used.set(service, (used.get(service) ?? 0) + cpu / seconds);
  });
  return [...used];
}

const PROGRESS_MS = 5_000;

/** When something was sent, by `performance.now()`. */
export interface Ran {
  begunAt: number;
  endedAt: number;
}

interface Run {
  mix: Mix;
  seconds: number;
  /** Ends it early. */
  signal: AbortSignal;
  report: (step: string) => void;
  /** Each few seconds while it runs. */
  onProgress?: () => Promise<void> | void;
}

/** Sends a mix for some seconds, says how it goes, and waits for the last answers. */
export async function runTraffic(traffic: Traffic, { mix, seconds, signal, report, onProgress }: Run): Promise<Ran> {
  const begunAt = performance.now();
  const until = begunAt + seconds * 1_000;
  let before = counts(traffic, mix);
  let beforeAt = begunAt;
  traffic.start(mix);
  while (!signal.aborted && performance.now() < until) {
    // A timer may fire a millisecond early, and would leave that for one more line.
    await pause(Math.min(PROGRESS_MS, until - performance.now()) + 1, signal);
    const [now, at] = [counts(traffic, mix), performance.now()];
    const rates = now.map(({ kind, answered }, index) => {
      const rate = (answered - before[index]!.answered) / ((at - beforeAt) / 1_000);
      return `${kind} ${rate.toFixed(0)}/s`;
    });
    const failed = now.reduce((sum, one) => sum + one.failed, 0);
    report(`${((at - begunAt) / 1_000).toFixed(0)} of ${seconds} s  ${rates.join('  ')}  failed ${failed}`);
    [before, beforeAt] = [now, at];
    await onProgress?.();
  }
  const endedAt = performance.now();
  await traffic.stop();
  return { begunAt, endedAt };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

function counts({ results }: Traffic, mix: Mix) {
  return (Object.keys(mix) as RequestKind[]).map((kind) => {
    const { times, failed } = results[kind];
    return { kind, answered: times.length, failed };
  });
}
