import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import fc from 'fast-check';
import {
  eventsOf,
  HISTORIES,
  LAST_DAY,
  outcomeOf,
  type History,
  type PublishedEvent,
} from '../projection/history.fixture';
import { counted, type Counted, countsAt, DAY_MS, daysFrom, exact, piecesOf, type Stretch } from './counted.fixture';
import { BASES, type Basis } from './figures/basis';
import { INTERVALS } from './figures/intervals';
import type { EndpointsView } from './figures/read-endpoints';
import type { SummaryView } from './figures/read-summary';
import type { PointView, TimeseriesView } from './figures/read-timeseries';
import { countedCohorts, countedCredits, countedCustomers } from './counted-wallets.fixture';
import { CUSTOMER_SORTS } from './ledger/rank-customers';
import type { CohortsView } from './ledger/read-cohorts';
import type { CreditsView } from './ledger/read-credits';
import type { CustomersView } from './ledger/read-customers';
import { Reporting } from './reporting.fixture';

const RUNS = Number(process.env.IDENTITY_RUNS ?? sized(8, 300));
const SEED = Number(process.env.IDENTITY_SEED ?? Math.floor(Math.random() * 2 ** 31));
const EVER: Stretch = { fromMs: -Infinity, untilMs: Infinity };

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const before = (day: string, days: number) => dayOf(Date.parse(day) - days * DAY_MS);
const PATHS = PAID_ENDPOINTS.map(({ path }) => path);

interface Asked {
  now: Date;
  query: string;
  from: string;
  to: string;
  /** Both sides of the comparison, as it should be. */
  current: Stretch;
  /** With the whole days of it, and the time then. */
  earlier: Stretch & { days: Stretch; nowMs: number };
}

// Noon and midnight are where most instants of a history are.
const NOW = fc
  .constantFrom(0, 1, 43_200_000, 43_200_001, 47_700_000, 86_399_999)
  .map((intoDayMs) => new Date(Date.parse(LAST_DAY) + intoDayMs));

/** What is asked at a time, with the ranges that it means by hand. */
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
    const month = before(LAST_DAY, ago).slice(0, 7);
    const [first, next] = [`${month}-01`, dayOf(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 1))];
    const to = month === LAST_DAY.slice(0, 7) ? LAST_DAY : before(next, 1);
    const asked = compared(now, `month=${month}`, first, to);
    const previous = `${before(first, 1).slice(0, 7)}-01`;
    const whole = to === LAST_DAY ? before(previous, -(Number(LAST_DAY.slice(8)) - 2)) : before(first, 1);
    return { ...asked, earlier: wholeDays(previous, whole) };
  });

function compared(now: Date, query: string, from: string, to: string): Asked {
  const asked = { now, query, from, to };
  if (from === LAST_DAY) {
    const yesterday = Date.parse(before(LAST_DAY, 1));
    const [nowMs, days] = [now.getTime() - DAY_MS, daysFrom(before(LAST_DAY, 1), before(LAST_DAY, 1))];
    return { ...asked, current: daysFrom(from, to), earlier: { fromMs: yesterday, untilMs: nowMs, days, nowMs } };
  }
  const last = to === LAST_DAY ? before(to, 1) : to;
  const days = (Date.parse(last) - Date.parse(from)) / DAY_MS + 1;
  return { ...asked, current: daysFrom(from, last), earlier: wholeDays(before(from, days), before(from, 1)) };
}

function wholeDays(from: string, to: string): Asked['earlier'] {
  const days = daysFrom(from, to);
  return { ...days, days, nowMs: Infinity };
}

/** Nothing of it is later than now: a payment that has not ended is open. */
function upTo({ payments, credits }: History, now: Date): History {
  const isPast = (at: Date | null) => at !== null && at <= now;
  return {
    payments: payments
      .filter(({ verifiedAt }) => isPast(verifiedAt))
      .map((payment) =>
        isPast(countsAt(payment, 'settlement')) ? payment : { ...payment, states: ['settlement_pending'] },
      ),
    credits: credits.filter(({ issuedAt, redeemedAt }) => (issuedAt ?? now) <= now && (redeemedAt ?? now) <= now),
  };
}

/** A history, published in any order and partly twice, and a question. */
const TOLD = fc.tuple(HISTORIES, ASKED, fc.constantFrom(...BASES)).chain(([all, asked, basis]) => {
  const history = upTo(all, asked.now);
  const events = eventsOf(history);
  const order = fc.shuffledSubarray(events, { minLength: events.length, maxLength: events.length });
  const again =
    events.length > 0 ? fc.array(fc.constantFrom(...events), { maxLength: 5 }) : fc.constant<PublishedEvent[]>([]);
  return fc.record({
    history: fc.constant(history),
    asked: fc.constant(asked),
    basis: fc.constant(basis),
    order,
    again,
  });
});

function expected({ gross, cost, paidCalls, creditCalls, payers }: Counted) {
  return {
    gross_revenue: expect.objectContaining({ usd_exact: exact(gross) }),
    attributed_cost: expect.objectContaining({ usd_exact: exact(cost) }),
    net_margin: expect.objectContaining({ usd_exact: exact(gross - cost) }),
    paid_calls: paidCalls,
    credit_calls: creditCalls,
    unique_payers: payers.size,
  };
}

type Additive = Pick<PointView, 'gross_revenue' | 'attributed_cost' | 'net_margin' | 'paid_calls' | 'credit_calls'>;

/** Sums of the printed texts, as a caller would add them. */
function added(rows: readonly Additive[]) {
  const micros = (texts: string[]) => exact(texts.reduce((sum, text) => sum + BigInt(text.replace('.', '')), 0n));
  return {
    gross: micros(rows.map(({ gross_revenue }) => gross_revenue.usd_exact)),
    cost: micros(rows.map(({ attributed_cost }) => attributed_cost.usd_exact)),
    margin: micros(rows.map(({ net_margin }) => net_margin.usd_exact)),
    paid: rows.reduce((sum, { paid_calls }) => sum + paid_calls, 0),
    byCredit: rows.reduce((sum, { credit_calls }) => sum + credit_calls, 0),
  };
}

function firstPaid(history: History, basis: Basis): string {
  const settled = history.payments.filter((payment) => outcomeOf(payment) === 'settled');
  return settled.map((payment) => dayOf(countsAt(payment, basis).getTime())).sort()[0] ?? '9999';
}

it(
  `has the same figures in all answers, equal to a count of the whole history (IDENTITY_SEED=${SEED})`,
  async () => {
    await fc.assert(
      fc.asyncProperty(TOLD, async ({ history, asked, basis, order, again }) => {
        await reporting.forget();
        reporting.clock.set(asked.now);
        await reporting.publish(...order, ...again);
        const { from, to, current, earlier } = asked;
        const query = `?${asked.query}&basis=${basis}&compare=previous`;
        const count = (stretch: Stretch, path?: string) => counted(history, basis, stretch, path);
        const isFirst = dayOf(earlier.fromMs) < firstPaid(history, basis);

        const summary = await reporting.answer<SummaryView>(`summary${query}`);
        const late = history.payments.filter(
          (payment) =>
            dayOf(payment.verifiedAt.getTime()) >= from &&
            dayOf(payment.verifiedAt.getTime()) <= to &&
            dayOf(countsAt(payment, 'settlement').getTime()) > to,
        );
        const adjusted = counted({ payments: late, credits: [] }, 'call', EVER);
        expect(summary).toMatchObject({
          basis,
          window: {
            ...{ from, to, ...expected(count(daysFrom(from, to))) },
            rebate_redeemed: { usd_exact: exact(count(daysFrom(from, to)).redeemed) },
            adjusted_after:
              basis === 'settlement'
                ? null
                : { paid_calls: adjusted.paidCalls, net_margin: { usd_exact: exact(adjusted.gross - adjusted.cost) } },
          },
          today: { date: LAST_DAY, ...expected(count(daysFrom(LAST_DAY, LAST_DAY))) },
          all_time: expected(count(EVER)),
          settlement: settlementOf(history),
          previous: {
            window: isFirst
              ? null
              : {
                  ...{ from: dayOf(earlier.fromMs), ...expected(count(earlier)) },
                  compared: { from, to: dayOf(current.untilMs - 1), ...expected(count(current)) },
                },
          },
        });

        const endpoints = await reporting.answer<EndpointsView>(`endpoints${query}`);
        const rowsOf = (stretch: Stretch) =>
          PATHS.map((path) => {
            const figures = count(stretch, path);
            return { endpoint: path, ...expected(figures), last_call_at: figures.lastCallAt };
          });
        expect(endpoints.endpoints).toMatchObject(rowsOf(daysFrom(from, to)));
        expect(added(endpoints.endpoints)).toEqual(added([summary.window]));
        if (isFirst) expect(endpoints.previous).toBeNull();
        else {
          expect(endpoints.previous!.endpoints).toMatchObject(rowsOf(earlier));
          expect(endpoints.previous!.compared.endpoints).toMatchObject(rowsOf(current));
        }

        for (const interval of INTERVALS) {
          if (interval === 'hour' && Date.parse(to) - Date.parse(from) >= 8 * DAY_MS) continue;
          const series = await reporting.answer<TimeseriesView>(`timeseries${query}&interval=${interval}`);
          const pointsOf = (days: Stretch, nowMs: number, untilMs = Infinity) =>
            piecesOf(interval, days, nowMs).map(({ complete, ...piece }) => ({
              ...{ date: dayOf(piece.fromMs), complete },
              ...(interval === 'hour' && { hour: new Date(piece.fromMs).getUTCHours() }),
              ...((interval === 'week' || interval === 'month') && { to: dayOf(piece.untilMs - 1) }),
              // Of a day that is compared in part nothing later counts.
              ...expected(count({ ...piece, untilMs: Math.min(piece.untilMs, untilMs) })),
            }));
          const points = pointsOf(daysFrom(from, to), asked.now.getTime());
          expect({ interval, points: series.points }).toMatchObject({ interval, points });
          expect(added(series.points)).toEqual(added([summary.window]));
          if (isFirst) expect(series.previous).toBeNull();
          else {
            const previous = pointsOf(earlier.days, earlier.nowMs, earlier.untilMs);
            expect({ interval, previous: series.previous!.points }).toMatchObject({ interval, previous });
            expect(added(series.previous!.points)).toEqual(added([summary.previous!.window!]));
          }
        }

        const window = daysFrom(from, to);
        const isFirstCall = dayOf(earlier.fromMs) < firstPaid(history, 'call');
        for (const sort of CUSTOMER_SORTS) {
          const sides = isFirstCall ? null : { current, earlier };
          const wanted = countedCustomers(history, { sort, window, sides });
          const ranked = `customers?${asked.query}&compare=previous&sort=${sort}`;
          const all = await reporting.answer<CustomersView>(ranked);
          expect({ sort, customers: all.customers }).toMatchObject({ sort, customers: wanted });
          const paged: unknown[] = [];
          for (let cursor: string | null = ''; cursor !== null;) {
            const page: CustomersView = await reporting.answer(`${ranked}&limit=1${cursor && `&cursor=${cursor}`}`);
            paged.push(...page.customers);
            cursor = page.next_cursor;
          }
          expect(paged).toEqual(all.customers);
        }
        const credits = await reporting.answer<CreditsView>(`credits?${asked.query}`);
        expect(credits).toMatchObject(countedCredits(history, window, asked.now));
        const cohorts = await reporting.answer<CohortsView>(`cohorts?from=${from}&to=${to}`);
        expect(cohorts.cohorts).toMatchObject(countedCohorts(history, from, to, LAST_DAY));

        // Parts add up to the whole.
        const middle = before(to, Math.floor((Date.parse(to) - Date.parse(from)) / DAY_MS / 2));
        if (middle === from) return;
        const halves = [`from=${from}&to=${before(middle, 1)}`, `from=${middle}&to=${to}`];
        const parts = await Promise.all(
          halves.map((half) => reporting.answer<SummaryView>(`summary?${half}&basis=${basis}`)),
        );
        expect(added(parts.map(({ window }) => window))).toEqual(added([summary.window]));
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  },
  RUNS * 8_000 + 60_000,
);

function settlementOf({ payments }: History) {
  const count = (outcome: string) => payments.filter((payment) => outcomeOf(payment) === outcome).length;
  return {
    settled: count('settled'),
    pending: count('settlement_pending'),
    needs_reconciliation: count('needs_reconciliation'),
    failed: count('settlement_failed'),
  };
}
