import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import { Reporting } from '../../revenue/reporting.fixture';
import { aPayment, publishedOf as paymentsOf } from '../../revenue/story.fixture';
import { rebuilt } from '../projection.fixture';
import { aMonthOfSubscriptions, publishedOf } from './subscription-history.fixture';

const SUBSCRIPTION = 'reporting.subscriptions';

const reporting = Reporting.forSuite();

const query = <Row>(sql: string) => reporting.database.dataSource.query<Row[]>(sql);

it('npm run events:rebuild -- reporting.subscriptions ends with the same answer, and leaves the ledger alone', async () => {
  const events = publishedOf(aMonthOfSubscriptions());
  await reporting.publish(...paymentsOf([aPayment()]));
  // Backwards and twice: a rebuild reads them in the same order again.
  await reporting.publish(...[...events].reverse(), ...events);
  const answers = async () => {
    const [subscriptions, summary] = await Promise.all([reporting.read('subscriptions'), reporting.read('summary')]);
    return [subscriptions.body, summary.body].map((body) => ({ ...body, lag_seconds: 0 }));
  };
  const before = await answers();
  expect(before).toMatchObject([{ subscribers: { end: 2 } }, { all_time: { paid_calls: 1 } }]);
  // Of no event: a rebuild empties it.
  await query(`UPDATE subscription_versions SET movement_micros = movement_micros + 5`);
  await query(`UPDATE wallet_totals SET paid_calls = 9`);

  const programs = [{ subscription: SUBSCRIPTION, aggregates: 'users' }];
  const { code, out } = await rebuilt(reporting.database, programs, SUBSCRIPTION);
  expect([code, out]).toEqual([0, expect.stringContaining(`Rebuilt from ${2 * events.length} events.`)]);

  expect(await answers()).toEqual(before);
  expect(await query('SELECT paid_calls FROM wallet_totals')).toEqual([{ paid_calls: '9' }]);
  await query(`UPDATE wallet_totals SET paid_calls = 1`);
  await reporting.publish(...paymentsOf([aPayment()]));
  await eventually(async () => expect(await audit(reporting.database.dataSource)).toEqual([]));
});
