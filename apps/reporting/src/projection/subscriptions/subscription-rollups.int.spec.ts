import { audit } from '@evenkeel/ops/audit';
import { InProcessBroker, RestartProjection } from '@evenkeel/platform/messaging';
import type { TestDatabase } from '@evenkeel/platform/testing';
import fc from 'fast-check';
import type { PublishedEvent } from '../history.fixture';
import { envelopeOf, reportingDatabase } from '../projection.fixture';
import { ProjectSubscriptions, SUBSCRIPTIONS_PROJECTION } from './project-subscriptions.consumer';
import {
  aChange,
  anAdjustment,
  anInvoice,
  ANN,
  anyOrder,
  publishedOf,
  SUBSCRIPTION_HISTORIES,
} from './subscription-history.fixture';

const RUNS = Number(process.env.SUBSCRIPTION_RUNS ?? sized(12, 1_000));
const SEED = Number(process.env.SUBSCRIPTION_SEED ?? Math.floor(Math.random() * 2 ** 31));

let database: TestDatabase;
beforeAll(async () => {
  database = await reportingDatabase();
  // No zone is further from UTC: more than half of each day is another day there.
  await database.dataSource.query(`ALTER DATABASE "${nameOf(database)}" SET timezone TO 'Pacific/Kiritimati'`);
  // For the connections that are opened from now on.
  await database.dataSource.destroy();
  await database.dataSource.initialize();
}, 30_000);
afterAll(() => database.drop());

const nameOf = ({ url }: TestDatabase) => new URL(url).pathname.slice(1);
const project = new ProjectSubscriptions();
const broker = new InProcessBroker({ warn: () => undefined, error: () => undefined });

/** In one transaction each, as the inbox does it. */
async function deliver(events: readonly PublishedEvent[], atOnce: number): Promise<void> {
  for (let begin = 0; begin < events.length; begin += atOnce) {
    const envelopes = events.slice(begin, begin + atOnce).map((event) => envelopeOf(event));
    await database.dataSource.transaction((tx) => project.handleAll(envelopes, tx));
  }
}

async function restart(): Promise<void> {
  await database.dataSource.query(`INSERT INTO rebuilds (subscription) VALUES ('reporting.subscriptions')`);
  await new RestartProjection(SUBSCRIPTIONS_PROJECTION, database.dataSource, broker).execute();
}

/** Every row; counters that went back to 0 leave theirs, and the view shows those that count. */
async function allRows(): Promise<string[]> {
  const rows = await database.dataSource.query<{ row: string }[]>(`
    SELECT concat(rollup, key, kept) AS row FROM audit.subscription_rollups
    UNION ALL SELECT to_jsonb(v)::text FROM subscription_versions v
    UNION ALL SELECT to_jsonb(i)::text FROM invoices i
    UNION ALL SELECT to_jsonb(a)::text FROM invoice_adjustments a`);
  return rows.map(({ row }) => row).sort();
}

it(
  `rows and rollups are the same in whatever order, however often and in whatever deliveries events come (SUBSCRIPTION_SEED=${SEED})`,
  async () => {
    expect(await database.dataSource.query('SHOW timezone')).toEqual([{ TimeZone: 'Pacific/Kiritimati' }]);
    const sizes = fc.integer({ min: 1, max: 50 });
    const told = SUBSCRIPTION_HISTORIES.chain((history) => {
      const events = publishedOf(history);
      return fc.record({ inOrder: fc.constant(events), shuffled: anyOrder(events), again: anyOrder(events) });
    });
    await fc.assert(
      fc.asyncProperty(told, sizes, sizes, async ({ inOrder, shuffled, again }, size, otherSize) => {
        await restart();
        await deliver(inOrder, size);
        const rows = await allRows();
        expect(await audit(database.dataSource)).toEqual([]);

        await restart();
        await deliver(shuffled, otherSize);
        expect(await allRows()).toEqual(rows);
        await deliver(again, size);
        expect(await allRows()).toEqual(rows);
        expect(await audit(database.dataSource)).toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  },
  RUNS * 2_000 + 30_000,
);

describe('the audit', () => {
  const day = (number: number) => `2026-01-0${number}T10:00:00.000Z`;
  beforeAll(async () => {
    await restart();
    const until = '2026-03-01T00:00:00.000Z';
    const grants = [{ id: '0194d0c2-3d4e-7f50-8a1b-000000000001', until }];
    const changes = [aChange(ANN, 1, day(1), [{}], grants), aChange(ANN, 2, day(2), [{ recurringMicros: 9 }], grants)];
    const events = publishedOf({ changes, invoices: [anInvoice()], adjustments: [anAdjustment()] });
    await deliver(events, 500);
  });

  async function foundAfter(spoil: string) {
    const runner = database.dataSource.createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query(spoil);
      return (await audit(runner.manager)).map(({ what, row }) => [what, (row as { rollup?: string }).rollup]);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  }

  it('finds nothing in a projection of events', async () => {
    expect(await audit(database.dataSource)).toEqual([]);
    expect(
      await database.dataSource.query(
        'SELECT day::text, start_micros, movements_micros, end_micros FROM audit.mrr ORDER BY day',
      ),
    ).toEqual([
      { day: '2026-01-01', start_micros: '0', movements_micros: '7990000', end_micros: '7990000' },
      { day: '2026-01-02', start_micros: '7990000', movements_micros: '-7989991', end_micros: '9' },
    ]);
  });

  it.each([
    ['subscription_versions', `UPDATE subscription_versions SET movement = 'churn' WHERE version = 2`],
    ['subscription_versions', `UPDATE subscription_versions SET has_paid = false`],
  ])('shows where %s differ from their rows', async (rollup, spoil) => {
    const found = await foundAfter(spoil);
    expect(new Set(found.map(String))).toEqual(
      new Set([`a rollup of subscriptions is not what its rows make it,${rollup}`]),
    );
  });

  it('shows movements that do not lead from day to day', async () => {
    const found = await foundAfter('UPDATE subscription_versions SET movement_micros = movement_micros + 1');
    expect(found).toContainEqual(['movements do not lead from the MRR of one day to that of the next', undefined]);
  });

  it('refuses writes through a view', async () => {
    for (const view of ['mrr', 'subscription_rollups']) {
      await expect(database.dataSource.query(`DELETE FROM audit.${view}`)).rejects.toThrow('cannot delete from view');
    }
  });
});
