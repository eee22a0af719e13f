import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { audit } from '@evenkeel/ops/audit';
import fc from 'fast-check';
import { history, LAST_DAY, type PaymentStory } from '../../projection/history.fixture';
import { counted, DAY_MS, daysFrom } from '../counted.fixture';
import { Reporting } from '../reporting.fixture';
import { aPayment, publishedOf } from '../story.fixture';
import { BASES } from './basis';
import type { EndpointsView } from './read-endpoints';
import type { SummaryView } from './read-summary';

const RUNS = Number(process.env.PAYERS_RUNS ?? sized(6, 300));
const SEED = Number(process.env.PAYERS_SEED ?? Math.floor(Math.random() * 2 ** 31));

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());

const PATHS = PAID_ENDPOINTS.slice(0, 2).map(({ path }) => path);
const WALLETS = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`);

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const ago = (days: number) => dayOf(Date.parse(LAST_DAY) - days * DAY_MS);

/** The longest window that can be asked for. */
const LONGEST = 1_101;

// Days that are the longest window apart, some less and some more, and a few between them.
const DAYS_AGO = fc.oneof(
  fc.integer({ min: 3, max: 5 }),
  fc.constantFrom(6, 50, 700),
  fc.integer({ min: LONGEST, max: LONGEST + 6 }),
);

const PAYMENT: fc.Arbitrary<PaymentStory> = fc
  .record({
    daysAgo: DAYS_AGO,
    wallet: fc.constantFrom(...WALLETS),
    endpoint: fc.constantFrom(...PATHS),
    endsAfterMs: fc.constantFrom(0, 0, DAY_MS, 2 * DAY_MS),
  })
  .map(({ daysAgo, ...over }) => aPayment({ verifiedAt: new Date(`${ago(daysAgo)}T11:00:00.000Z`), ...over }));

/** In any order, so that many come between days that are known, and in several deliveries. */
const TOLD = fc.array(PAYMENT, { minLength: 1, maxLength: 14 }).chain((payments) =>
  fc
    .tuple(fc.shuffledSubarray(payments, { minLength: payments.length }), fc.integer({ min: 1, max: 5 }))
    .map(([order, size]) => ({
      all: history(...payments),
      deliveries: Array.from({ length: Math.ceil(order.length / size) }, (_, n) =>
        publishedOf(order.slice(n * size, (n + 1) * size)),
      ),
    })),
);

const windowOf = (days: number, daysAgo: number) => [ago(daysAgo + days - 1), ago(daysAgo)] as const;

const LONG_WINDOWS = [LONGEST, LONGEST - 1, LONGEST - 2].flatMap((days) =>
  [3, 4, 5].map((daysAgo) => windowOf(days, daysAgo)),
);

const WINDOWS = fc
  .array(fc.tuple(fc.integer({ min: 1, max: LONGEST }), fc.integer({ min: 1, max: 60 })), { maxLength: 4 })
  .map((others) => [...LONG_WINDOWS, ...others.map(([days, daysAgo]) => windowOf(days, daysAgo))]);

it(
  `counts the payers of any window, up to the longest, as all payments together do (PAYERS_SEED=${SEED})`,
  async () => {
    await fc.assert(
      fc.asyncProperty(TOLD, WINDOWS, async ({ all, deliveries }, windows) => {
        await reporting.forget();
        for (const events of deliveries) await reporting.publish(...events);
        for (const [from, to] of windows) {
          for (const basis of BASES) {
            const query = `from=${from}&to=${to}&basis=${basis}`;
            const payers = (path?: string) => counted(all, basis, daysFrom(from, to), path).payers.size;
            const summary = await reporting.answer<SummaryView>(`summary?${query}`);
            const { endpoints } = await reporting.answer<EndpointsView>(`endpoints?${query}`);
            const found = PATHS.map((path) => endpoints.find(({ endpoint }) => endpoint === path)!.unique_payers);
            expect({ query, all: summary.window.unique_payers, found }).toEqual({
              ...{ query, all: payers(), found: PATHS.map((path) => payers(path)) },
            });
          }
        }
        expect(await audit(reporting.database.dataSource)).toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  },
  RUNS * 4_000 + 60_000,
);
