import { setTimeout as sleep } from 'node:timers/promises';

/** Begins work at a steady rate, without waiting for earlier work. @returns all results */
export async function pace<Result>(
  perSecond: number,
  seconds: number,
  begin: () => Promise<Result>,
): Promise<Result[]> {
  const startedMs = performance.now();
  const begun: Promise<Result>[] = [];
  while (begun.length < perSecond * seconds) {
    const waitMs = startedMs + (begun.length * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    begun.push(begin());
  }
  return Promise.all(begun);
}
