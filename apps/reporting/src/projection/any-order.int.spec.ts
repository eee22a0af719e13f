import { audit } from '@evenkeel/ops/audit';
import {
  InProcessBroker,
  RestartProjection,
  type EventBatchConsumer,
  type Projection,
} from '@evenkeel/platform/messaging';
import type { TestDatabase } from '@evenkeel/platform/testing';
import fc from 'fast-check';
import { anyOrder, eventsOf, HISTORIES, type PublishedEvent } from './history.fixture';
import { LEDGER_PROJECTION, ProjectLedger } from './project-ledger.consumer';
import { envelopeOf, reportingDatabase } from './projection.fixture';
import { ProjectSubscriptions, SUBSCRIPTIONS_PROJECTION } from './subscriptions/project-subscriptions.consumer';
import { publishedOf, SUBSCRIPTION_HISTORIES } from './subscriptions/subscription-history.fixture';

const RUNS = Number(process.env.ORDER_RUNS ?? sized(20, 1_000));
const SEED = Number(process.env.ORDER_SEED ?? Math.floor(Math.random() * 2 ** 31));

let database: TestDatabase;
beforeAll(async () => (database = await reportingDatabase()), 30_000);
afterAll(() => database.drop());

const broker = new InProcessBroker({ warn: () => undefined, error: () => undefined });

interface Projected {
  projection: Projection;
  consumer: EventBatchConsumer;
  histories: fc.Arbitrary<PublishedEvent[]>;
  /** Its rows; counters that went back to 0 leave theirs, and the view shows those that count. */
  rows: string[];
}

const PROJECTIONS: Projected[] = [
  {
    projection: LEDGER_PROJECTION,
    consumer: new ProjectLedger(),
    histories: HISTORIES.map(eventsOf),
    rows: ['payments', 'payment_states', 'credits', 'audit.rollups'],
  },
  {
    projection: SUBSCRIPTIONS_PROJECTION,
    consumer: new ProjectSubscriptions(),
    histories: SUBSCRIPTION_HISTORIES.map(publishedOf),
    rows: [...SUBSCRIPTIONS_PROJECTION.tables, 'audit.subscription_rollups'],
  },
];

it.each(PROJECTIONS.map((projected) => [projected.projection.subscription, projected] as const))(
  `rows and sums of %s are the same in whatever order, however often and in whatever deliveries events come (ORDER_SEED=${SEED})`,
  async (subscription, { projection, consumer, histories, rows }) => {
    const restart = async () => {
      await database.dataSource.query('INSERT INTO rebuilds (subscription) VALUES ($1)', [subscription]);
      await new RestartProjection(projection, database.dataSource, broker).execute();
    };
    const deliver = async (events: readonly PublishedEvent[], atOnce: number) => {
      for (let begin = 0; begin < events.length; begin += atOnce) {
        const envelopes = events.slice(begin, begin + atOnce).map((event) => envelopeOf(event));
        await database.dataSource.transaction((tx) => consumer.handleAll(envelopes, tx));
      }
    };
    const stored = async () => {
      const all = await database.dataSource.query<{ row: string }[]>(
        rows.map((relation) => `SELECT to_jsonb(t)::text AS row FROM ${relation} t`).join(' UNION ALL '),
      );
      return all.map(({ row }) => row).sort();
    };
    const published = histories.chain((events) =>
      fc.record({ inOrder: fc.constant(events), shuffled: anyOrder(events), again: anyOrder(events) }),
    );
    const sizes = fc.integer({ min: 1, max: 60 });
    await fc.assert(
      fc.asyncProperty(published, sizes, sizes, async ({ inOrder, shuffled, again }, size, otherSize) => {
        await restart();
        await deliver(inOrder, size);
        const expected = await stored();
        expect(await audit(database.dataSource)).toEqual([]);

        await restart();
        await deliver(shuffled, otherSize);
        expect(await stored()).toEqual(expected);
        await deliver(again, size);
        expect(await stored()).toEqual(expected);
        expect(await audit(database.dataSource)).toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  },
  RUNS * 4_000 + 30_000,
);
