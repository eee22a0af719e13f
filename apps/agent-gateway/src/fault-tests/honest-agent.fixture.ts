import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SystemClock } from '@evenkeel/kernel';
import { Buyer, type SignedPayment } from '../buyer.fixture';
import { analyze } from '../payments/payment.fixture';

/** So many that no wallet reaches its limit. */
const WALLETS = 40;
const CALLS_PER_SECOND = 20;
/** Fewer than the slots of a payer: more calls, sent after a pause of the machine, would be refused rightly. */
const MOST_AT_ONCE = 20;
const ANSWER_LIMIT_MS = 20_000;
const REPEATS = 10;
const REPEAT_AFTER_MS = 500;

export interface HonestCall {
  nonce: string;
  /** Status of the first answer; 0 without one. */
  status: number;
  tookMs: number;
  error?: string;
  /** Status of the last answer, after identical repeats. */
  lastStatus: number;
}

interface Answer {
  status: number;
  error?: string;
}

/** Pays for calls at a steady rate from one address, and repeats a failed call until it gets its answer. */
export class HonestAgent {
  readonly calls: HonestCall[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: MOST_AT_ONCE });
  private readonly buyers = Array.from({ length: WALLETS }, () => new Buyer(new SystemClock()));

  constructor(
    private readonly url: string,
    private readonly address: string,
  ) {}

  /** @returns the calls of this time alone */
  async pay(seconds: number): Promise<HonestCall[]> {
    const calls = await pace(CALLS_PER_SECOND, seconds, () => this.call());
    this.calls.push(...calls);
    return calls;
  }

  close(): void {
    this.agent.destroy();
  }

  private async call(): Promise<HonestCall> {
    const buyer = this.buyers.shift()!;
    this.buyers.push(buyer);
    const payment = await buyer.sign();
    const begun = performance.now();
    const first = await this.send(payment);
    const tookMs = performance.now() - begun;
    let last = first;
    for (let repeat = 0; last.status !== 200 && repeat < REPEATS; repeat++) {
      await sleep(REPEAT_AFTER_MS);
      last = await this.send(payment);
    }
    return { nonce: payment.nonce, ...first, tookMs, lastStatus: last.status };
  }

  private send({ header }: SignedPayment): Promise<Answer> {
    return new Promise((resolve) => {
      const outgoing = request(this.url + analyze.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-payment': header },
        localAddress: this.address,
        agent: this.agent,
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      });
      outgoing.on('error', ({ message }) => resolve({ status: 0, error: message }));
      outgoing.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('error', () => undefined);
        response.on('close', () => {
          const error = /"error":\s*"(\w+)"/.exec(text)?.[1];
          resolve({ status: response.complete ? response.statusCode! : 0, error });
        });
      });
      outgoing.end(JSON.stringify(analyze.exampleInput));
    });
  }
}

export function p99(calls: readonly HonestCall[]): number {
  const times = calls.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other);
  return times[Math.ceil(times.length * 0.99) - 1]!;
}

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
