import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { SystemClock } from '@evenkeel/kernel';
import { readsOf } from './reads';
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

const WARM_UP = 20;
const ASKED_IN_A_ROUND = 60;

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
    for (const read of paths[0]!.keys()) {
      for (let count = 0; count < asked; count++) {
        for (const [place, operator] of operators.entries()) {
          const { milliseconds } = await operator.ask(paths[place]!.get(read)!);
          if (round > 0) noteIn(samples[place]!, read, milliseconds);
        }
      }
    }
  }
  for (const operator of operators) operator.close();
  return [...paths[0]!.keys()].map((read) => timingOf(read, samples[0]!.get(read)!, samples[1]!.get(read)!));
}

function noteIn(samples: Map<string, number[]>, read: string, milliseconds: number): void {
  const times = samples.get(read);
  if (times) times.push(milliseconds);
  else samples.set(read, [milliseconds]);
}

interface PaymentsPage {
  payments: { id: string; payer: string; transaction_hash: string | null; request_id: string }[];
  next_cursor: string | null;
}

/** What is asked of a database, by names that are the same for all. */
async function pathsOf(operator: Operator): Promise<Map<string, string>> {
  const answer = async <Answer>(path: string): Promise<Answer> => JSON.parse((await operator.ask(path)).body) as Answer;
  let cursor = '';
  let page!: PaymentsPage;
  for (let pages = 0; pages < PAGES_DOWN; pages++) {
    page = await answer<PaymentsPage>(`payments?limit=200${cursor && `&cursor=${cursor}`}`);
    cursor = page.next_cursor ?? cursor;
  }
  const { id, transaction_hash, request_id } = page.payments.find(({ transaction_hash: hash }) => hash !== null)!;
  const { nonce } = await answer<{ nonce: string }>(`payments/${id}`);
  const { customers } = await answer<{ customers: { wallet: string }[] }>('customers?limit=200');
  const wallets: [string, string] = [customers[0]!.wallet, customers.at(-1)!.wallet];
  const payment = { id, nonce, transactionHash: transaction_hash!, requestId: request_id };
  return readsOf({ now: new SystemClock().now(), cursor, payment, wallets });
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
