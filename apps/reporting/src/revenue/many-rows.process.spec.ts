import { seed } from '@evenkeel/ops/seed';
import { type History, LAST_DAY } from '../projection/history.fixture';
import { type Asked, before, compared, expectAllAnswers, monthAsked } from './all-answers.fixture';
import { BASES } from './figures/span-rows';
import { noon, Reporting } from './reporting.fixture';

const PAYMENTS = 100_000;

let reporting: Reporting;
let history: History;
beforeAll(async () => {
  reporting = await Reporting.start();
  const business = { payments: PAYMENTS, days: 500, wallets: 1_500, subscriptions: 0, seed: 7, replace: true };
  await seed(reporting.database.url, { ...business, until: noon.toISOString() }, () => undefined);
  history = await storedHistory();
}, 300_000);
afterAll(() => reporting.close());

/** The rows themselves, and nothing that is made of them. */
async function storedHistory(): Promise<History> {
  const { dataSource } = reporting.database;
  const payments = await dataSource.query<History['payments']>(
    `SELECT id, wallet, endpoint, amount_micros::float8 AS "amountMicros", attributed_cost_micros::float8 AS "costMicros",
       verified_at AS "verifiedAt", coalesce(tier, 'base') AS tier, rebate_micros::float8 AS "rebateMicros", served,
       (extract(epoch FROM coalesce(settled_at, failed_at, verified_at) - verified_at) * 1000)::float8 AS "endsAfterMs",
       ARRAY[status] AS states FROM payments`,
  );
  const credits = await dataSource.query<History['credits']>(
    `SELECT id, wallet, endpoint, price_micros::float8 AS "priceMicros", change_micros::float8 AS "changeMicros",
       attributed_cost_micros::float8 AS "costMicros", issued_at AS "issuedAt", redeemed_at AS "redeemedAt",
       expires_at AS "expiresAt" FROM credits`,
  );
  return { payments, credits };
}

const last = (days: number) => compared(noon, `days=${days}`, before(LAST_DAY, days - 1), LAST_DAY);
const range = (from: string, to: string) => compared(noon, `from=${from}&to=${to}`, from, to);

const WINDOWS: Asked[] = [
  ...[1, 7, 28, 30, 91, 364].map(last),
  ...['2026-02', '2026-01', '2025-11'].map((month) => monthAsked(noon, month)),
  range(before(LAST_DAY, 1), before(LAST_DAY, 1)),
  range('2025-12-20', '2026-01-08'),
  range('2025-06-01', '2025-09-30'),
];

it.each(WINDOWS.flatMap((asked) => BASES.map((basis) => ({ asked, basis, query: asked.query }))))(
  `of ${PAYMENTS.toLocaleString('en-US')} payments every figure of every answer is what their rows make it: $query by $basis`,
  async ({ asked, basis }) => expectAllAnswers(reporting, history, asked, basis, 200),
  300_000,
);
