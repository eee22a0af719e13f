import { Reporting } from '../reporting.fixture';
import { aPayment, publishedOf } from '../story.fixture';
import { BASES } from './basis';
import type { EndpointsView } from './read-endpoints';
import type { SummaryView } from './read-summary';
import type { TimeseriesView } from './read-timeseries';

const ANALYZE = '/agent/v1/habits/analyze';
const PLAN = '/agent/v1/habits/plan';
const [ANN, BOB, CID] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());

// Yesterday until a quarter past one: who has paid before one o'clock is no other payer when they pay again.
it.each(BASES)('counts each payer of a part of a day once, in its last hour and before: %s', async (basis) => {
  await reporting.forget();
  const paid = (wallet: string, endpoint: string, time: string) =>
    aPayment({ wallet, endpoint, verifiedAt: new Date(`2026-02-09T${time}Z`), endsAfterMs: 0 });
  const payments = [
    paid(ANN, ANALYZE, '09:10:00'),
    paid(ANN, ANALYZE, '13:01:00'),
    paid(ANN, PLAN, '13:05:00'),
    paid(BOB, PLAN, '13:00:00'),
    paid(BOB, PLAN, '13:14:59'),
    paid(CID, PLAN, '13:15:00'),
    aPayment({ wallet: CID, verifiedAt: new Date('2026-02-08T13:05:00Z'), endsAfterMs: 0 }),
  ];
  reporting.clock.set(new Date('2026-02-10T13:15:00Z'));
  await reporting.publish(...publishedOf(payments));

  const query = `?days=1&basis=${basis}&compare=previous`;
  const { previous } = await reporting.answer<SummaryView>(`summary${query}`);
  expect(previous!.window).toMatchObject({ paid_calls: 5, unique_payers: 2 });
  const series = await reporting.answer<TimeseriesView>(`timeseries${query}&interval=day`);
  expect(series.previous!.points).toMatchObject([{ paid_calls: 5, unique_payers: 2 }]);
  const { previous: byEndpoint } = await reporting.answer<EndpointsView>(`endpoints${query}`);
  const figures = byEndpoint!.endpoints.map((row) => [row.endpoint, row.paid_calls, row.unique_payers]);
  expect(figures).toEqual(
    expect.arrayContaining([
      [ANALYZE, 2, 1],
      [PLAN, 3, 2],
    ]),
  );
});
