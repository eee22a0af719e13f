import type { LoadPlan } from '../load/prepare-requests';
import type { LoadResult } from '../load/run-load';
import { OFFER } from '../sellers/offer';
import type { StubCalls } from '../stub/stub-facilitator';
import { type Path, REFERENCES, type Stage, type Variant, VARIANTS } from './stage';

const CONNECTIONS = 16;

/** One seller under load for some seconds. */
interface Slice extends LoadResult {
  rate: number;
  /** Per call. */
  sellerCpuMs: number;
  /** Per call, of all causes together; null for sellers without a ledger, and where it cannot be measured. */
  postgresCpuMs: number | null;
  /** The same. */
  fsyncs: number | null;
}

interface Used {
  sellerMs: number;
  postgresMs: number | null;
  fsyncs: number | null;
}

export interface Row {
  variant: string;
  /** Medians over the rounds. */
  rate: number;
  p50Ms: number;
  p99Ms: number;
  sellerCpuMs: number;
  /** Null for sellers without a ledger, and where it cannot be measured. */
  postgresCpuMs: number | null;
  fsyncs: number | null;
  /** Medians of the ratios within each round, which other work on the machine disturbs least; above 1 is better. */
  rateRatio: number;
  cpuRatio: number;
  /** Seller and PostgreSQL together against the reference's seller alone; below 1 is better. */
  totalCpuRatio: number | null;
}

export interface Comparison {
  path: Path;
  habits: number;
  rows: Row[];
}

/** Until the compiler is done with the code (ours takes 5,000 paid calls), but not for ever on a slow machine. */
const WARM_UP_CALLS = 6_000;

const WARM_UP_SLICES = 12;

/** Variants take turns within each round, and each round begins with another one. */
export async function compare(
  stage: Stage,
  path: Path,
  habits: number,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Comparison> {
  const variants = VARIANTS[path];
  for (const variant of variants) await warmUp(stage, variant, habits);
  const slices = new Map<Variant, Slice[]>(variants.map((variant) => [variant, []]));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < variants.length; turn++) {
      const variant = variants[(round + turn) % variants.length]!;
      slices.get(variant)!.push(await measureSlice(stage, variant, habits, seconds));
    }
  }
  const reference = slices.get(variants.find(({ name }) => name === REFERENCES[path])!)!;
  return { path, habits, rows: variants.map((variant) => rowOf(variant, slices.get(variant)!, reference)) };
}

async function warmUp(stage: Stage, variant: Variant, habits: number): Promise<void> {
  let calls = 0;
  for (let slice = 0; slice < WARM_UP_SLICES && calls < WARM_UP_CALLS; slice++) {
    calls += (await measureSlice(stage, variant, habits, 1)).calls;
  }
}

function rowOf({ name }: Variant, slices: readonly Slice[], reference: readonly Slice[]): Row {
  const of = (value: (slice: Slice, reference: Slice) => number): number =>
    median(slices.map((slice, round) => value(slice, reference[round]!)));
  const totalRatio = ({ sellerCpuMs, postgresCpuMs }: Slice, reference: Slice): number =>
    (sellerCpuMs + postgresCpuMs!) / reference.sellerCpuMs;
  const hasPostgres = slices.every(({ postgresCpuMs }) => postgresCpuMs !== null);
  return {
    variant: name,
    rate: of(({ rate }) => rate),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    sellerCpuMs: of(({ sellerCpuMs }) => sellerCpuMs),
    postgresCpuMs: hasPostgres ? of(({ postgresCpuMs }) => postgresCpuMs!) : null,
    fsyncs: slices.every(({ fsyncs }) => fsyncs !== null) ? of(({ fsyncs }) => fsyncs!) : null,
    rateRatio: of(({ rate }, { rate: theirs }) => rate / theirs),
    cpuRatio: of(({ sellerCpuMs }, { sellerCpuMs: theirs }) => theirs / sellerCpuMs),
    totalCpuRatio: hasPostgres ? of(totalRatio) : null,
  };
}

/** The middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** @throws Error when an answer was not the expected one, or a paid call was not verified and settled exactly once */
async function measureSlice(stage: Stage, variant: Variant, habits: number, seconds: number): Promise<Slice> {
  const { expectedStatus, payment } = variant;
  const { path } = OFFER;
  const { url } = stage.sellers.get(variant.seller)!;
  const plan: LoadPlan = { url, path, habits, connections: CONNECTIONS, seconds, expectedStatus, payment };
  await stage.load.ask({ prepare: plan });

  const callsBefore = await stage.stub.ask<StubCalls>('calls');
  await stage.workIsDone(variant.seller);
  const before = await usage(stage, variant.seller);
  const load = await stage.load.ask<LoadResult>('run');
  await stage.workIsDone(variant.seller);
  const after = await usage(stage, variant.seller);
  assertSettledOnce(variant, load.calls, callsBefore, await stage.stub.ask<StubCalls>('calls'));

  const { calls } = load;
  return {
    ...load,
    rate: calls / load.seconds,
    sellerCpuMs: (after.sellerMs - before.sellerMs) / calls,
    postgresCpuMs: after.postgresMs === null ? null : (after.postgresMs - before.postgresMs!) / calls,
    fsyncs: after.fsyncs === null ? null : (after.fsyncs - before.fsyncs!) / calls,
  };
}

async function usage(stage: Stage, seller: string): Promise<Used> {
  const postgres = await stage.postgres.get(seller)?.read();
  const sellerMs = await stage.sellers.get(seller)!.cpuMs();
  return { sellerMs, postgresMs: postgres?.cpuMs ?? null, fsyncs: postgres?.fsyncs ?? null };
}

function assertSettledOnce({ name, payment }: Variant, calls: number, before: StubCalls, after: StubCalls): void {
  const expected = payment === null ? 0 : calls;
  const [verified, settled] = [after.verify - before.verify, after.settle - before.settle];
  if (verified === expected && settled === expected) return;
  throw new Error(`${name}: ${calls} calls, ${verified} verified, ${settled} settled`);
}
