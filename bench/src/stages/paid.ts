import { setTimeout as sleep } from 'node:timers/promises';
import { type Figures, table } from '../figures';
import { callBytes, paidCalls } from '../load/payments';
import { expectStatus, type LoadResult, median, runLoad } from '../load/run-load';
import { residentMb, type Running, Scene } from '../processes/scene';
import type { FacilitatorCalls } from '../sellers/facilitator';
import { BESIDE, EXPRESS, GATEWAY, openFacilitator, openSellers, PRODUCT } from '../sellers/open-sellers';

const CONNECTIONS = 16;
const HABITS = [1, 25];
/** Of each seller in each round. */
const SECONDS = 2;
/** Slices until the compiler is done with the code: ours takes about 5,000 paid calls. */
const WARM_UPS = 3;
/** A faster seller than this ends its slice early. */
const PAYMENTS_PER_SECOND = 4_000;
const QUIET_MS = 1_500;

type Path = '402' | 'paid';

interface PaidOptions {
  paths: readonly Path[];
  rounds: number;
  /** Folder of another checkout, whose product and gateway take turns with ours. */
  beside?: string;
}

/** The product as `npm start` runs it, and the gateway alone, beside the x402 middleware for Express. */
export async function benchPaid({ paths, rounds, beside }: PaidOptions): Promise<Figures> {
  await using scene = new Scene();
  const facilitator = await openFacilitator(scene);
  const { sellers, product } = await openSellers(scene, facilitator.url, beside);
  const figures: Figures = {
    'npm start, first: s': product.firstSeconds,
    'npm start, again: s': product.seconds,
    'npm start, at rest: MB': residentMb(product),
    'gateway alone, at rest: MB': residentMb(sellers.get(GATEWAY)!),
  };
  for (const path of paths) {
    for (const habits of HABITS) {
      const slices = await takeTurns(sellers, rounds, (seller) =>
        path === 'paid' ? paidSlice(seller, facilitator, habits) : unpaidSlice(seller, habits),
      );
      const title = `${path}, ${habits === 1 ? '1 habit' : `${habits} habits`}`;
      console.log(`\n${tableOf(title, slices)}`);
      Object.assign(figures, ratiosOf(title, slices));
    }
  }
  return figures;
}

/** Within each round, and each round begins with another one: a busy moment touches all. */
async function takeTurns(
  sellers: ReadonlyMap<string, Running>,
  rounds: number,
  measure: (seller: Running) => Promise<LoadResult>,
): Promise<Map<string, LoadResult[]>> {
  const names = [...sellers.keys()];
  const slices = new Map(names.map((name) => [name, [] as LoadResult[]]));
  for (let round = -WARM_UPS; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + WARM_UPS + turn) % names.length]!;
      const result = await measure(sellers.get(name)!);
      if (round >= 0) slices.get(name)!.push(result);
      // A seller's work after the answers must not take processor time from the next one.
      await sleep(QUIET_MS);
    }
  }
  return slices;
}

function unpaidSlice({ url }: Running, habits: number): Promise<LoadResult> {
  const call = callBytes(habits);
  return runLoad({ url, connections: CONNECTIONS, seconds: SECONDS }, () => call, expectStatus(402));
}

/** @throws Error when a paid call was not verified and settled exactly once */
async function paidSlice({ url }: Running, stub: Running, habits: number): Promise<LoadResult> {
  const next = await paidCalls(url, habits, Math.ceil(PAYMENTS_PER_SECOND * SECONDS));
  const asked = async () => (await fetch(`${stub.url}/calls`)).json() as Promise<FacilitatorCalls>;
  const before = await asked();
  // Our gateway works on more payments of a caller at once when one was verified lately.
  const first = [next()];
  await runLoad({ url, connections: 1, seconds: SECONDS }, () => first.pop(), expectStatus(200));
  const result = await runLoad({ url, connections: CONNECTIONS, seconds: SECONDS }, next, expectStatus(200));
  const after = await asked();
  const [verified, settled] = [after.verify - before.verify, after.settle - before.settle];
  if (verified !== result.calls + 1 || settled !== result.calls + 1) {
    throw new Error(`${result.calls + 1} paid calls were verified ${verified} times and settled ${settled} times`);
  }
  return result;
}

function tableOf(title: string, slices: ReadonlyMap<string, readonly LoadResult[]>): string {
  const reference = slices.get(EXPRESS)!;
  const lines = [...slices].map(([name, own]) => [
    name,
    median(own.map(({ rate }) => rate)).toFixed(0),
    rateRatio(own, reference).toFixed(2),
    median(own.map(({ p50Ms }) => p50Ms)).toFixed(1),
    median(own.map(({ p99Ms }) => p99Ms)).toFixed(1),
  ]);
  return table([title, 'calls/s', 'x rate', 'p50 ms', 'p99 ms'], lines);
}

function ratiosOf(title: string, slices: ReadonlyMap<string, readonly LoadResult[]>): Figures {
  const figures: Figures = {};
  for (const name of [PRODUCT, GATEWAY]) {
    const own = slices.get(name)!;
    figures[`${title}: ${name} / ${EXPRESS}`] = rateRatio(own, slices.get(EXPRESS)!);
    const other = slices.get(`${name}, ${BESIDE}`);
    if (other) figures[`${title}: ${name} / ${BESIDE}`] = rateRatio(own, other);
  }
  return figures;
}

/** Median of the ratios within the rounds. */
function rateRatio(own: readonly LoadResult[], reference: readonly LoadResult[]): number {
  return median(own.map(({ rate }, round) => rate / reference[round]!.rate));
}
