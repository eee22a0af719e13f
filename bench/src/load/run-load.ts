import { Connection } from '@evenkeel/rehearse/connection';
import type { LoadPlan } from './prepare-requests';

export interface LoadResult {
  calls: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Keeps every connection busy until the time is over, then lets what was sent finish.
 * @param next undefined when there are no more requests
 * @throws Error on any answer of another status: a benchmark of failures measures nothing
 */
export async function runLoad(plan: LoadPlan, next: () => Buffer | undefined): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: plan.connections }, () => Connection.open(plan.url)));
  const latencies: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + plan.seconds * 1_000;

  const keepBusy = async (connection: Connection): Promise<void> => {
    for (let sentAt = performance.now(); sentAt < endsAt;) {
      const request = next();
      if (!request) return;
      const { status, body } = await connection.rawRequest(request);
      if (status !== plan.expectedStatus)
        throw new Error(`a seller answered ${status}: ${body.toString().slice(0, 500)}`);
      const answeredAt = performance.now();
      latencies.push(answeredAt - sentAt);
      sentAt = answeredAt;
    }
  };
  await Promise.all(connections.map(keepBusy));

  const seconds = (performance.now() - startedAt) / 1_000;
  for (const connection of connections) connection.close();
  latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => latencies[Math.floor((latencies.length - 1) * share)]!;
  return { calls: latencies.length, seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}
