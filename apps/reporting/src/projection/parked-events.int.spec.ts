import { PAYMENTS_STREAM } from '@evenkeel/contracts';
import { ManualClock } from '@evenkeel/kernel';
import { countApplied, requestReplay, Subscription } from '@evenkeel/platform/messaging';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { LedgerStream } from '../revenue/ledger-stream.fixture';
import { aPayment } from '../revenue/story.fixture';
import { Freshness } from './freshness';
import { eventsOf, history, type History } from './history.fixture';
import { expectPayments, reportingDatabase } from './projection.fixture';
import { LEDGER_PROJECTION, ProjectLedger } from './project-ledger.consumer';

jest.setTimeout(60_000);

const DONE = { withinMs: 20_000 };
const [good, bad] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`];
const log = { warn: () => undefined, error: () => undefined };

const SUBSCRIPTION = LEDGER_PROJECTION.subscription;

let database: TestDatabase;
let ledger: LedgerStream;
let subscription: Subscription;
beforeAll(async () => {
  [database, ledger] = await Promise.all([reportingDatabase(), LedgerStream.open()]);
  subscription = new Subscription({
    name: SUBSCRIPTION,
    topics: [PAYMENTS_STREAM],
    consumers: [new ProjectLedger()],
    log,
    dataSource: database.dataSource,
    transport: ledger.broker,
    retryDelaysMs: [10, 20],
    begin: countApplied(LEDGER_PROJECTION),
  });
  subscription.start();
});
afterAll(async () => {
  await subscription.stop();
  await ledger.close();
  await database.drop();
});

const query = (sql: string) => database.dataSource.query<unknown[]>(sql);
const expectAll = (story: History) => expectPayments(database.dataSource, story);
const lag = async () =>
  (await new Freshness(database.dataSource, new ManualClock(new Date(0))).read('reporting')).lagSeconds;

it('an event that cannot be applied parks its wallet alone, other wallets go on, and a replay applies it', async () => {
  const [poison, behind, ...others] = [
    aPayment({ wallet: bad }),
    aPayment({ wallet: bad }),
    aPayment({ wallet: good }),
    aPayment({ wallet: good }),
  ];
  // No event of the gateway fails, so a constraint refuses one payment.
  await query(`ALTER TABLE payments ADD CONSTRAINT no_poison CHECK (request_id <> 'request-${poison.id}')`);
  await ledger.publish(eventsOf(history(poison, behind, ...others)));
  await eventually(async () => expect(await query('SELECT FROM parked')).toHaveLength(2), DONE);
  await expectAll(history(...others));
  // Nothing else is behind, now and while this runs: all is read, and the look that says so does not grow old.
  await query(`UPDATE progress SET unread = 0, checked_at = now() + interval '1 hour'`);
  // A parked event is in no answer, however far the others have come.
  await eventually(async () => (await lag()) > 0, DONE);

  expect(await requestReplay(database.dataSource, SUBSCRIPTION)).toBe(1);
  await eventually(async () => {
    const waiting = await query('SELECT FROM parked WHERE replay_requested_at IS NOT NULL');
    expect(waiting).toEqual([]);
  }, DONE);
  expect(await query('SELECT FROM parked')).toHaveLength(2);

  await query('ALTER TABLE payments DROP CONSTRAINT no_poison');
  await requestReplay(database.dataSource, SUBSCRIPTION);
  await expectAll(history(poison, behind, ...others));
  expect(await query('SELECT FROM parked')).toEqual([]);
  expect(await lag()).toBe(0);
});
