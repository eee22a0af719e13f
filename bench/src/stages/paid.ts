import { setTimeout as sleep } from 'node:timers/promises';
import { expectStatus, type LoadResult, median, runLoad } from '../load/load';
import { callBytes, paidCalls } from '../load/payments';
import { residentMb, type Running, Scene } from '../processes/scene';
import { type Figures, table } from '../report';
import type { FacilitatorCalls } from '../sellers/facilitator';
import { BESIDE, EXPRESS, GATEWAY, openFacilitator, openGateway, openSellers, PRODUCT } from '../sellers/open-sellers';

const HABITS = [1, 25];
/** Of each seller in each round. */
const SLICE = { connections: 16, seconds: 2 };
/** Slices until the compiler is done with the code: ours takes about 5,000 paid calls. */
const WARM_UPS = 3;
/** A faster seller than this ends its slice early. */
const PAYMENTS_PER_SECOND = 4_000;

/** Slices of each seller, by its name. */
type Slices = ReadonlyMap<string, LoadResult[]>;

/**
 * The product as `npm start` runs it, and the gateway alone, beside the x402 middleware for Express.
 * @param beside folder of another checkout, whose product and gateway take turns with ours
 */
export async function benchPaid(paths: readonly ('402' | 'paid')[], rounds: number, beside?: string): Promise<Figures> {
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
      const call = callBytes(habits);
      const slices = await takeTurns(sellers, rounds, (seller) =>
        path === 'paid'
          ? paidSlice(seller, facilitator, habits)
          : runLoad({ url: seller.url, ...SLICE }, () => call, expectStatus(402)),
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
): Promise<Slices> {
  const names = [...sellers.keys()];
  const slices = new Map(names.map((name) => [name, [] as LoadResult[]]));
  for (let round = -WARM_UPS; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + WARM_UPS + turn) % names.length]!;
      const result = await measure(sellers.get(name)!);
      if (round >= 0) slices.get(name)!.push(result);
      // A seller's work after the answers must not take processor time from the next one.
      await sleep(1_500);
    }
  }
  return slices;
}

/** @throws Error when a paid call was not verified and settled exactly once */
async function paidSlice({ url }: Running, facilitator: Running, habits: number): Promise<LoadResult> {
  const next = await paidCalls(url, habits, PAYMENTS_PER_SECOND * SLICE.seconds);
  const asked = async () => (await fetch(`${facilitator.url}/calls`)).json() as Promise<FacilitatorCalls>;
  const before = await asked();
  // Our gateway works on more payments of a caller at once when one was verified lately.
  const first = [next()];
  await runLoad({ url, ...SLICE, connections: 1 }, () => first.pop(), expectStatus(200));
  const result = await runLoad({ url, ...SLICE }, next, expectStatus(200));
  const after = await asked();
  const [verified, settled] = [after.verify - before.verify, after.settle - before.settle];
  if (verified !== result.calls + 1 || settled !== result.calls + 1) {
    throw new Error(`${result.calls + 1} paid calls were verified ${verified} times and settled ${settled} times`);
  }
  return result;
}

function tableOf(title: string, slices: Slices): string {
  const lines = [...slices].map(([name, own]) => [
    name,
    median(own.map(({ rate }) => rate)).toFixed(0),
    rateRatio(slices, name, EXPRESS).toFixed(2),
    median(own.map(({ p50Ms }) => p50Ms)).toFixed(1),
    median(own.map(({ p99Ms }) => p99Ms)).toFixed(1),
  ]);
  return table([title, 'calls/s', 'x rate', 'p50 ms', 'p99 ms'], lines);
}

function ratiosOf(title: string, slices: Slices): Figures {
  const figures: Figures = {};
  for (const name of [PRODUCT, GATEWAY]) {
    figures[`${title}: ${name} / ${EXPRESS}`] = rateRatio(slices, name, EXPRESS);
    const other = `${name}, ${BESIDE}`;
    if (slices.has(other)) figures[`${title}: ${name} / ${BESIDE}`] = rateRatio(slices, name, other);
  }
  return figures;
}

/** Median of the ratios within the rounds. */
function rateRatio(slices: Slices, name: string, reference: string): number {
  return median(slices.get(name)!.map(({ rate }, round) => rate / slices.get(reference)![round]!.rate));
}

/** One process of the gateway at the speed of a real chain: fifty addresses with eight calls each, all of them waiting. */
export async function benchChainSpeed(): Promise<Figures> {
  const [settleMs, inFlight, callers, seconds] = [2_000, 400, 50, 12];
  await using scene = new Scene();
  const facilitator = await openFacilitator(scene, settleMs);
  const { url } = await openGateway(scene, facilitator.url, { TRUSTED_PROXY_HOPS: '1' });
  // As the proxy in front of the gateway names them.
  const addressOf = (index: number) => ({ 'X-Forwarded-For': `198.51.100.${1 + (index % callers)}` });
  const calls = (count: number) => paidCalls(url, 1, count, addressOf);
  // More than the load can use: a settle takes as long as it takes.
  const payments = (inFlight * 2 * seconds * 1_000) / settleMs;

  // Each caller is known by a payment that was verified, as in a service that runs.
  await runLoad({ url, connections: callers, seconds }, await calls(callers), expectStatus(200));
  await runLoad({ url, connections: inFlight, seconds: seconds / 2 }, await calls(payments), () => undefined);
  const next = await calls(payments);

  let refused = 0;
  const result = await runLoad({ url, connections: inFlight, seconds }, next, (reply) => {
    if (reply.status === 429) refused += 1;
    else expectStatus(200)(reply);
  });
  const title = `settle takes ${settleMs / 1_000} s, ${inFlight} calls in flight`;
  const rate = (result.calls - refused) / result.seconds;
  return { [`${title}: paid calls a second`]: rate, [`${title}: answers 429`]: refused };
}
