import { setTimeout as sleep } from 'node:timers/promises';
import { readSamples, type WatchedProcess } from './read-metrics';

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
