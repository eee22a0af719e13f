import { InProcessBroker, RestartProjection } from '@evenkeel/platform/messaging';
import { audit } from '@evenkeel/ops/audit';
import type { TestDatabase } from '@evenkeel/platform/testing';
import fc from 'fast-check';
import { eventsOf, HISTORIES, LAST_DAY, type PublishedEvent } from './history.fixture';
import { projectedFigures } from './projected-figures.fixture';
import { countedFigures } from './counted-figures.fixture';
import { LEDGER_PROJECTION, ProjectLedger } from './project-ledger.consumer';
import { envelopeOf, reportingDatabase } from './projection.fixture';

const RUNS = Number(process.env.ROLLUP_RUNS ?? 40);
const SEED = Number(process.env.ROLLUP_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Looks for the shortest history that fails, which takes minutes. */
const SHRINKS = process.env.ROLLUP_SHRINK === 'on';

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
const projectLedger = new ProjectLedger();
const broker = new InProcessBroker({ warn: () => undefined, error: () => undefined });

/** In one transaction each, as the inbox does it. */
async function deliver(deliveries: readonly PublishedEvent[][]): Promise<void> {
  for (const events of deliveries) {
    const envelopes = events.map((event) => envelopeOf(event));
    await database.dataSource.transaction((tx) => projectLedger.handleAll(envelopes, tx));
  }
}

async function restart(): Promise<void> {
  await database.dataSource.query(`INSERT INTO rebuilds (subscription) VALUES ('reporting')`);
  await new RestartProjection(LEDGER_PROJECTION, database.dataSource, broker).execute();
}

/** Some twice or three times, in any order, also within a wallet and a payment; in deliveries of any size. */
const anyDelivery = (events: readonly PublishedEvent[]) =>
  fc.tuple(fc.array(fc.nat(Math.max(0, events.length - 1))), fc.integer({ min: 5, max: 60 })).chain(([again, size]) => {
    const repeated = events.length === 0 ? [] : [...events, ...again.map((index) => events[index]!)];
    return fc
      .shuffledSubarray([...repeated.keys()], { minLength: repeated.length })
      .map((order) => order.map((index) => repeated[index]!))
      .map((all) =>
        Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size)),
      );
  });

it(
  `keeps rollups that are string-equal to a count of all rows by UTC days, whatever comes late, twice or out of order (ROLLUP_SEED=${SEED})`,
  async () => {
    expect(await database.dataSource.query('SHOW timezone')).toEqual([{ TimeZone: 'Pacific/Kiritimati' }]);
    const history = HISTORIES.chain((story) =>
      fc.tuple(fc.constant(story), anyDelivery(eventsOf(story)), anyDelivery(eventsOf(story))),
    );
    await fc.assert(
      fc.asyncProperty(history, async ([story, first, second]) => {
        await restart();
        await deliver(first);
        const expected = countedFigures(story, LAST_DAY);
        expect(await projectedFigures(database.dataSource, LAST_DAY)).toEqual(expected);
        expect(await audit(database.dataSource)).toEqual([]);

        await restart();
        await deliver(second);
        expect(await projectedFigures(database.dataSource, LAST_DAY)).toEqual(expected);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: !SHRINKS },
    );
  },
  RUNS * 2_000 + 30_000,
);
