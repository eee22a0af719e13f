import { setTimeout as sleep } from 'node:timers/promises';

/** The pause between two checks: a tenth of the time waited so far. A state that lasts a tenth of a second must be seen. */
const PAUSE_MS = { least: 20, most: 50 };

/**
 * Repeats a check until it holds: until it neither throws nor returns `false`. In place of a fixed wait.
 * @returns what the check returned
 * @throws the last error of the check once `withinMs` are over
 */
export async function eventually<Result>(
  check: () => Result,
  { withinMs = 15_000 }: { withinMs?: number } = {},
): Promise<Awaited<Result>> {
  const began = performance.now();
  const deadline = began + withinMs;
  for (;;) {
    try {
      const result = await check();
      if (result !== false) return result;
      throw new Error(`still false after ${withinMs} ms`);
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    const waited = performance.now() - began;
    await sleep(Math.min(Math.max(waited / 10, PAUSE_MS.least), PAUSE_MS.most));
  }
}
