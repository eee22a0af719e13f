import type { BenchOptions } from '../bench-options';
import { ReportingStage } from './reporting-stage';
import { type IngestTiming, timeIngest } from './time-ingest';
import { type ReadTiming, timeReads } from './time-reads';
import { timeSubscriptionIngest } from './time-subscription-ingest';

const SMALL = 10_000;
const INGESTED = 50_000;
const TOKEN = 'the operator of the benchmark';

export interface ReportingTiming {
  /** In the small and in the large database. */
  payments: [small: number, large: number];
  /** People with them, in both. */
  subscriptions: [small: number, large: number];
  reads: ReadTiming[];
  ingest: IngestTiming;
  /** Of subscriptions and invoices: events a second. */
  subscriptionEventsPerSecond: number;
  seedSeconds: number;
}

type Sizes = Pick<BenchOptions, 'payments' | 'subscriptions' | 'rounds'>;

/** Reads over few payments and over many, and how fast the projection takes events. */
export async function benchReporting({ payments, subscriptions, rounds }: Sizes): Promise<ReportingTiming> {
  const stage = await ReportingStage.set();
  try {
    const small = await stage.subject({ payments: SMALL, subscriptions: SMALL }, TOKEN);
    const startedMs = performance.now();
    const large = await stage.subject({ payments, subscriptions }, TOKEN);
    const seedSeconds = (performance.now() - startedMs) / 1_000;
    const reads = await timeReads([small, large], TOKEN, rounds);
    const empty: [string, string] = [await stage.emptyDatabase('ingested'), await stage.emptyDatabase('copied')];
    const ingest = await timeIngest(large.databaseUrl, empty, Math.min(INGESTED, payments));
    const third = await stage.emptyDatabase('subscribed');
    const subscriptionEventsPerSecond = await timeSubscriptionIngest(large.databaseUrl, third, INGESTED);
    const sizes = {
      payments: [SMALL, payments],
      subscriptions: [SMALL, subscriptions],
    } satisfies Partial<ReportingTiming>;
    return { ...sizes, reads, ingest, subscriptionEventsPerSecond, seedSeconds };
  } finally {
    await stage.close();
  }
}
