import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, type Reply } from './connection';

export interface LoadResult {
  calls: number;
  seconds: number;
  rate: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Keeps so many connections busy until the time is over, then lets what was sent finish.
 * @param next undefined when there are no more requests
 * @param accept throws on an answer that should not be
 */
export async function runLoad(
  { url, connections: count, seconds }: { url: string; connections: number; seconds: number },
  next: () => Buffer | undefined,
  accept: (reply: Reply) => void,
): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: count }, () => Connection.open(url)));
  const times: number[] = [];
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  const keepBusy = async (connection: Connection): Promise<void> => {
    for (let sentMs = performance.now(); sentMs < endMs;) {
      const request = next();
      if (!request) return;
      accept(await connection.send(request));
      const answeredMs = performance.now();
      times.push(answeredMs - sentMs);
      sentMs = answeredMs;
    }
  };
  await Promise.all(connections.map(keepBusy)).finally(() => connections.forEach((connection) => connection.close()));
  const took = (performance.now() - startedMs) / 1_000;
  const [p50Ms, p99Ms] = [quantile(times, 0.5), quantile(times, 0.99)];
  return { calls: times.length, seconds: took, rate: times.length / took, p50Ms, p99Ms };
}

/**
 * Sends so many requests a second, whether or not earlier ones are answered: each time begins when its request was due.
 * @returns milliseconds, in the order of the requests
 */
export async function atRate(
  { url, perSecond, count }: { url: string; perSecond: number; count: number },
  request: (index: number) => Buffer,
  accept: (reply: Reply) => void,
): Promise<number[]> {
  const idle: Connection[] = [];
  const startedMs = performance.now();
  const ask = async (index: number): Promise<number> => {
    const dueMs = startedMs + (index * 1_000) / perSecond;
    await sleep(Math.max(0, dueMs - performance.now()));
    const connection = idle.pop() ?? (await Connection.open(url));
    accept(await connection.send(request(index)));
    idle.push(connection);
    return performance.now() - dueMs;
  };
  const times = await Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
  for (const connection of idle) connection.close();
  return times;
}

/** @throws Error on an answer of another status: a benchmark of failures measures nothing */
export function expectStatus(expected: number): (reply: Reply) => void {
  return ({ status, body }) => {
    if (status !== expected) throw new Error(`answered ${status}: ${body.slice(0, 500)}`);
  };
}

/** NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
}

/** The middle one, or the smaller of the two in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
