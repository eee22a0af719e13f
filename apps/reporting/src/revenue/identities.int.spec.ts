import fc from 'fast-check';
import { anyOrder, eventsOf, HISTORIES, LAST_DAY } from '../projection/history.fixture';
import { type Asked, before, compared, expectAllAnswers, monthAsked } from './all-answers.fixture';
import { upTo } from './counted.fixture';
import { BASES } from './figures/span-rows';
import { Reporting } from './reporting.fixture';

const RUNS = Number(process.env.IDENTITY_RUNS ?? sized(16, 300));
const SEED = Number(process.env.IDENTITY_SEED ?? Math.floor(Math.random() * 2 ** 31));
const reporting = Reporting.forSuite();

// Noon and midnight are where most instants of a history are.
const NOW = fc
  .constantFrom(0, 1, 43_200_000, 43_200_001, 47_700_000, 86_399_999)
  .map((intoDayMs) => new Date(Date.parse(LAST_DAY) + intoDayMs));

/** A request at a time, with its ranges computed by hand. */
const ASKED: fc.Arbitrary<Asked> = fc
  .tuple(
    NOW,
    fc.integer({ min: 1, max: 75 }),
    fc.integer({ min: 0, max: 40 }),
    fc.constantFrom('days', 'range', 'month'),
  )
  .map(([now, days, ago, way]): Asked => {
    if (way === 'days') return compared(now, `days=${days}`, before(LAST_DAY, days - 1), LAST_DAY);
    if (way === 'range') {
      const [from, to] = [before(LAST_DAY, ago + days - 1), before(LAST_DAY, ago)];
      return compared(now, `from=${from}&to=${to}`, from, to);
    }
    return monthAsked(now, before(LAST_DAY, ago).slice(0, 7));
  });

const QUESTIONED = fc.tuple(HISTORIES, ASKED, fc.constantFrom(...BASES)).chain(([all, asked, basis]) => {
  const history = upTo(all, asked.now);
  return anyOrder(eventsOf(history)).map((events) => ({ history, asked, basis, events }));
});

it(
  `has the same figures in all answers, equal to a count of the whole history (IDENTITY_SEED=${SEED})`,
  async () => {
    await fc.assert(
      fc.asyncProperty(QUESTIONED, async ({ history, asked, basis, events }) => {
        await reporting.forget();
        reporting.clock.set(asked.now);
        await reporting.publish(...events);
        await expectAllAnswers(reporting, history, asked, basis);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  },
  RUNS * 8_000 + 60_000,
);
