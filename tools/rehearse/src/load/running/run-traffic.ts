import { setTimeout as sleep } from 'node:timers/promises';
import type { Mix, RequestKind, Traffic } from '../../cluster';

const PROGRESS_MS = 5_000;

/** When something was sent, by `performance.now()`. */
export interface Ran {
  begunAt: number;
  endedAt: number;
}

export interface Run {
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

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

function counts({ results }: Traffic, mix: Mix) {
  return (Object.keys(mix) as RequestKind[]).map((kind) => {
    const { times, failed } = results[kind];
    return { kind, answered: times.length, failed };
  });
}
