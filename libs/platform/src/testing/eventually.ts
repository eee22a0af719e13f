import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;

/**
 * Repeats a check until it holds: until it neither throws nor returns `false`. In place of a fixed wait.
 * @returns what the check returned
 * @throws the last error of the check once `withinMs` are over
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  { withinMs = 5_000 }: { withinMs?: number } = {},
): Promise<Result> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      const result = await check();
      if (result !== false) return result;
      throw new Error(`still false after ${withinMs} ms`);
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await sleep(POLL_MS);
  }
}
