import { Pool } from 'undici';
import { aPaidRequest, type PaidRequest } from './paid-request.fixture';

const ANALYZE = '/agent/v1/habits/analyze';
const AT_ONCE = 8;
/** Every so many-th call is paid for. */
const PAID_EVERY = 25;

export interface Seen {
  status: number;
  tookMs: number;
}

/** Calls to several gateways in turn: some from one address that asks too much, some from many that do not, some paid. */
export class LimitedLoad {
  /** By the address that asks too much. */
  greedy: Seen[] = [];
  others: Seen[] = [];
  private readonly pools: Pool[];
  private paid: PaidRequest[] = [];
  private sent = 0;

  constructor(
    urls: string[],
    private readonly greedyAddress: string,
  ) {
    this.pools = urls.map((url) => new Pool(url, { connections: AT_ONCE }));
  }

  get all(): Seen[] {
    return [...this.greedy, ...this.others];
  }

  /** Of the calls that ended so. */
  slowestMs(...statuses: number[]): number {
    return Math.max(...this.all.filter(({ status }) => statuses.includes(status)).map(({ tookMs }) => tookMs));
  }

  /** Signs beforehand what some of the calls to come will pay with; else none is paid for. */
  async prepare(calls: number): Promise<void> {
    this.paid = await Promise.all(Array.from({ length: Math.ceil(calls / PAID_EVERY) }, () => aPaidRequest()));
  }

  /** @param inTheMiddle runs when half of the calls were begun, while others are under way */
  async run(calls: number, inTheMiddle: () => void | Promise<void> = () => undefined): Promise<void> {
    let left = calls;
    let middle = Promise.resolve();
    const caller = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        if (left === Math.floor(calls / 2)) middle = Promise.resolve(inTheMiddle());
        await this.call();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
    await middle;
  }

  async close(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.close()));
  }

  private async call(): Promise<void> {
    const number = (this.sent += 1);
    const payment = number % PAID_EVERY === 0 ? this.paid.pop() : undefined;
    const isGreedy = !payment && number % 2 === 0;
    const address = isGreedy ? this.greedyAddress : `198.51.100.${number % 200}`;
    const seen = await this.send(this.pools[number % this.pools.length]!, address, payment);
    (isGreedy ? this.greedy : this.others).push(seen);
  }

  private async send(pool: Pool, address: string, payment?: PaidRequest): Promise<Seen> {
    const begun = performance.now();
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: ANALYZE,
      headers: { ...payment?.headers, 'x-forwarded-for': address },
      body: payment?.body,
    });
    await body.dump();
    return { status: statusCode, tookMs: performance.now() - begun };
  }
}
