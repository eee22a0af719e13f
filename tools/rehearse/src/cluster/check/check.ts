import { setTimeout as sleep } from 'node:timers/promises';
import { APP_NAMES } from '@evenkeel/contracts';
import type { Cluster, Roll } from '../processes/cluster';
import { type KindResult, type RequestKind, STEADY_MIX, Traffic, scaledMix } from '../traffic/traffic';
import { reading, wrongEffects } from './effects';
import { scrapeAll, wrongMetrics } from './wrong-metrics';

const PEOPLE = 10;
const STEADY_MS = 10_000;
const SIGTERM_LIMIT_MS = 15_000;
const SETTLED_WITHIN_MS = 120_000;
const POLL_MS = 2_000;
const SHOWN = 20;

interface CheckOptions {
  /** Requests a second. */
  rate: number;
  report: (step: string) => void;
  out: (text: string) => void;
}

/**
 * Restarts each service of a cluster, then all, under a rate of mixed requests: no request fails, no effect is lost or
 * double, and each process ends in time.
 * @returns whether all of that holds; what does not is printed
 */
export async function check(cluster: Cluster, { rate, report, out }: CheckOptions): Promise<boolean> {
  const traffic = new Traffic(targetsOf(cluster));
  const rolls: Roll[] = [];
  try {
    report(`${PEOPLE} people register and upgrade`);
    await traffic.prepare(PEOPLE);
    await traffic.agents.prepare();
    traffic.start(scaledMix(STEADY_MIX, rate));
    await sleep(STEADY_MS);
    await traffic.stop();
    report('comparing what metrics say with the books');
    await settledEffects(cluster, traffic);
    const metrics = await reading(cluster.backing.databases, async (read) =>
      wrongMetrics(read, await scrapeAll(cluster.replicas)),
    );
    traffic.start(scaledMix(STEADY_MIX, rate));
    // Each in turn, then everything in the order of compose, with requests open.
    for (const whileBusy of [false, true]) {
      for (const app of APP_NAMES) {
        rolls.push(...(await cluster.roll(app, { whileBusy })));
        report(`${app} was restarted: ${traffic.failures.length} requests have failed so far`);
      }
    }
    await sleep(STEADY_MS);
    await traffic.stop();
    report('the traffic has ended: comparing the books');
    const wrong = [
      ...traffic.failures,
      ...metrics,
      ...rolls.flatMap(wrongEnd),
      ...(await settledEffects(cluster, traffic)),
    ];
    out(resultsOf(traffic.results));
    out(
      `${rolls.length} restarts, the slowest end ${Math.max(...rolls.map(({ exit }) => exit.ms))} ms after SIGTERM.\n`,
    );
    for (const sentence of wrong.slice(0, SHOWN)) out(`WRONG  ${sentence}\n`);
    if (wrong.length > SHOWN) out(`and ${wrong.length - SHOWN} more\n`);
    out(
      wrong.length === 0 ? 'No request failed, no effect was lost or double.\n' : `${wrong.length} things are wrong.\n`,
    );
    return wrong.length === 0;
  } finally {
    await traffic.close();
  }
}

export function targetsOf({ url, adminToken, backing: { stripe } }: Cluster) {
  const { url: stripeUrl, secretKey: stripeKey, webhookSecret } = stripe;
  return { url, adminToken, stripeUrl, stripeKey, webhookSecret };
}

function wrongEnd({ name, exit: { code, signal, ms } }: Roll): string[] {
  if (code !== 0) return [`${name} ended with ${signal ?? String(code)}`];
  return ms > SIGTERM_LIMIT_MS ? [`${name} took ${ms} ms to end`] : [];
}

/** Events are on their way for a while: what is still wrong after that time, two minutes, stays wrong. */
export async function settledEffects(
  cluster: Cluster,
  traffic: Traffic,
  withinMs = SETTLED_WITHIN_MS,
): Promise<string[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const wrong = await wrongEffects(cluster, traffic);
    if (wrong.length === 0 || performance.now() > deadline) return wrong;
    await sleep(POLL_MS);
  }
}

function resultsOf(results: Record<RequestKind, KindResult>): string {
  const rows = Object.entries(results).map(([kind, { sent, times, failed }]) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
    return [kind, sent, failed, at(0.5), at(0.99), Math.round(sorted.at(-1) ?? 0)];
  });
  return `\n${table(['requests', 'sent', 'failed', 'p50 ms', 'p99 ms', 'max ms'], rows)}`;
}

type Cells = readonly (string | number)[];

/** Lines of text, the first column to the left. */
export function table(heads: readonly string[], rows: readonly Cells[]): string {
  const first = Math.max(...rows.map(([name]) => String(name).length), heads[0]!.length) + 2;
  const line = (cells: Cells) =>
    cells.map((cell, column) => (column === 0 ? String(cell).padEnd(first) : String(cell).padStart(15))).join('');
  return [heads, ...rows].map((cells) => `${line(cells)}\n`).join('');
}
