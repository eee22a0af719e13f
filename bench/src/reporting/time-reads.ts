import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { SystemClock } from '@evenkeel/kernel';
import type { Subject } from './reporting-stage';

/** Asks one question after the other, on a kept connection. */
class Operator {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** @throws Error for any answer but a 200 */
  async ask(path: string): Promise<{ body: string; milliseconds: number }> {
    const startedMs = performance.now();
    const request = get(`${this.url}/v1/admin/revenue/${path}`, {
      agent: this.agent,
      headers: { 'x-admin-token': this.token },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const body = await text(response);
    if (response.statusCode !== 200) throw new Error(`${path} was answered with ${response.statusCode}: ${body}`);
    return { body, milliseconds: performance.now() - startedMs };
  }

  close(): void {
    this.agent.destroy();
  }
}

const WARM_UP = 30;
const ASKED_IN_A_ROUND = 100;

/** Pages walked before a page far down is timed. */
const PAGES_DOWN = 20;

export interface ReadTiming {
  read: string;
  /** Of the small and of the large database. */
  p99Ms: [small: number, large: number];
  p50Ms: [small: number, large: number];
  /** Large over small. */
  p99Ratio: number;
}

/** What the same questions cost over few payments and over many; they take turns, so that a busy moment touches both. */
export async function timeReads(subjects: [Subject, Subject], token: string, rounds: number): Promise<ReadTiming[]> {
  const operators = subjects.map(({ app }) => new Operator(app.url, token));
  const paths = await Promise.all(operators.map(pathsOf));
  const samples = operators.map(() => new Map<string, number[]>());
  for (let round = 0; round <= rounds; round++) {
    const asked = round === 0 ? WARM_UP : ASKED_IN_A_ROUND;
    for (const read of Object.keys(paths[0]!)) {
      for (let count = 0; count < asked; count++) {
        for (const [place, operator] of operators.entries()) {
          const { milliseconds } = await operator.ask(paths[place]![read]!);
          if (round > 0) noteIn(samples[place]!, read, milliseconds);
        }
      }
    }
  }
  for (const operator of operators) operator.close();
  return Object.keys(paths[0]!).map((read) => timingOf(read, samples[0]!.get(read)!, samples[1]!.get(read)!));
}

function noteIn(samples: Map<string, number[]>, read: string, milliseconds: number): void {
  const times = samples.get(read);
  if (times) times.push(milliseconds);
  else samples.set(read, [milliseconds]);
}

async function pathsOf(operator: Operator): Promise<Record<string, string>> {
  let cursor = '';
  for (let page = 0; page < PAGES_DOWN; page++) {
    const { body } = await operator.ask(`payments?limit=200${cursor && `&cursor=${cursor}`}`);
    cursor = (JSON.parse(body) as { next_cursor: string | null }).next_cursor ?? cursor;
  }
  return {
    ...windowReads('summary'),
    ...windowReads('endpoints'),
    ...windowReads('timeseries'),
    'timeseries, 8 days by hour': 'timeseries?days=8&interval=hour&compare=previous',
    'timeseries, 364 days by week': 'timeseries?days=364&interval=week&compare=previous',
    'timeseries, 364 days by month': 'timeseries?days=364&interval=month&compare=previous',
    payments: 'payments',
    'payments, far down': `payments?limit=25&cursor=${cursor}`,
    'payments, one endpoint': 'payments?endpoint=/agent/v1/habits/plan',
    'payments, not found': `payments?q=0x${'0'.repeat(64)}`,
    customers: 'customers',
    ...Object.fromEntries(WINDOWS.map((window) => [`customers, ${window}`, `customers?${window}`])),
    reconciliation: 'reconciliation',
    credits: 'credits?days=364',
    cohorts: 'cohorts',
    changes: 'changes',
    subscriptions: 'subscriptions',
    'subscriptions, 365 days': 'subscriptions?days=365&compare=previous',
  };
}

const WINDOWS = [
  ...[1, 7, 28, 91, 182, 364].map((days) => `days=${days}`),
  ...[monthAgo(0), monthAgo(1), monthAgo(5)].map((month) => `month=${month}`),
];

/** Each window alone and compared, by call; the longest by settlement too. */
function windowReads(read: string): Record<string, string> {
  const queries = WINDOWS.flatMap((window) => [window, `${window}&compare=previous`]);
  const all = [...queries, `days=182&basis=settlement&compare=previous`];
  return Object.fromEntries(all.map((query) => [`${read}, ${query}`, `${read}?${query}`]));
}

/** As `YYYY-MM`. */
function monthAgo(months: number): string {
  const now = new SystemClock().now();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 7);
}

function timingOf(read: string, small: number[], large: number[]): ReadTiming {
  const at = (share: number): [number, number] => [quantile(small, share), quantile(large, share)];
  const p99Ms = at(0.99);
  return { read, p99Ms, p50Ms: at(0.5), p99Ratio: p99Ms[1] / p99Ms[0] };
}

function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
