import type { LoadPlan } from '../load/prepare-requests';
import type { LoadResult } from '../load/run-load';
import type { Child } from '../processes/child';
import { OFFER } from '../sellers/offer';
import type { StubCalls } from '../stub/stub-facilitator';
import type { Stage } from './stage';
import type { Variant } from './variants';

const CONNECTIONS = 16;

/** One seller under load for some seconds. */
export interface Slice extends LoadResult {
  rate: number;
  /** Per call. */
  sellerCpuMs: number;
  /** Per call, whoever caused it; null where it cannot be measured. */
  postgresCpuMs: number | null;
  fsyncs: number;
}

interface Used {
  sellerMs: number;
  postgresMs: number | null;
  fsyncs: number;
}

/** @throws Error when an answer was not the expected one, or a paid call was not verified and settled exactly once */
export async function measureSlice(stage: Stage, variant: Variant, habits: number, seconds: number): Promise<Slice> {
  const seller = stage.sellers.get(variant.seller)!;
  const { expectedStatus, payment } = variant;
  const { path } = OFFER;
  const plan: LoadPlan = { url: seller.url, path, habits, connections: CONNECTIONS, seconds, expectedStatus, payment };
  await stage.load.ask({ prepare: plan });

  const callsBefore = await stage.stub.ask<StubCalls>('calls');
  const before = await usage(stage, seller);
  const load = await stage.load.ask<LoadResult>('run');
  const after = await usage(stage, seller);
  assertSettledOnce(variant, load.calls, callsBefore, await stage.stub.ask<StubCalls>('calls'));

  const { calls } = load;
  return {
    ...load,
    rate: calls / load.seconds,
    sellerCpuMs: (after.sellerMs - before.sellerMs) / calls,
    postgresCpuMs: after.postgresMs === null ? null : (after.postgresMs - before.postgresMs!) / calls,
    fsyncs: (after.fsyncs - before.fsyncs) / calls,
  };
}

async function usage(stage: Stage, seller: Child): Promise<Used> {
  const { cpuMs, fsyncs } = await stage.postgres.read();
  return { sellerMs: await seller.cpuMs(), postgresMs: cpuMs, fsyncs };
}

function assertSettledOnce({ name, payment }: Variant, calls: number, before: StubCalls, after: StubCalls): void {
  const expected = payment === null ? 0 : calls;
  const [verified, settled] = [after.verify - before.verify, after.settle - before.settle];
  if (verified === expected && settled === expected) return;
  throw new Error(`${name}: ${calls} calls, ${verified} verified, ${settled} settled`);
}
