import { METRIC_PREFIX, type MetricName } from '@evenkeel/contracts';

const ANSWERED_WITHIN_MS = 3_000;
const NODE_METRICS = { resident: 'process_resident_memory_bytes', cpu: 'process_cpu_seconds_total' } as const;

/** Whose metrics can be read. */
export interface WatchedProcess {
  name: string;
  /** Of health and metrics. */
  internalUrl: string;
}

/** What a process says of itself. */
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
export function sampleIn(name: string, page: string): Sample {
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
