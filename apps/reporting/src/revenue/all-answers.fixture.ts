import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { LAST_DAY, outcomeOf, type History } from '../projection/history.fixture';
import {
  counted,
  type Counted,
  countsAt,
  DAY_MS,
  dayOf,
  daysFrom,
  EVER,
  exact,
  money,
  piecesOf,
  type Stretch,
} from './counted.fixture';
import {
  countedCohorts,
  countedCredits,
  countedCustomers,
  countedRebates,
  countedTiers,
} from './counted-wallets.fixture';
import { INTERVALS } from './figures/intervals';
import type { EndpointsView } from './figures/read-endpoints';
import type { SummaryView } from './figures/read-summary';
import type { TimeseriesView } from './figures/read-timeseries';
import type { Basis } from './figures/span-rows';
import { CUSTOMER_SORTS } from './ledger/rank-customers';
import type { CustomersView } from './ledger/read-customers';
import type { Reporting } from './reporting.fixture';

const PATHS = PAID_ENDPOINTS.map(({ path }) => path);

export const before = (day: string, days: number) => dayOf(Date.parse(day) - days * DAY_MS);

export interface Asked {
  now: Date;
  query: string;
  from: string;
  to: string;
  /** Both sides of the comparison, as it should be. */
  current: Side;
  earlier: Side;
}

/** With the whole days of it, and the time then. */
export type Side = Stretch & { days: Stretch; nowMs: number };

/** The same weekdays, in the nearest whole weeks before that have no day in common. */
export function compared(now: Date, query: string, from: string, to: string): Asked {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  let back = 7;
  while (back < days) back += 7;
  const current = sideOf(from, to, now.getTime());
  const earlier = sideOf(before(from, back), before(to, back), now.getTime() - back * DAY_MS);
  return { now, query, from, to, current, earlier };
}

/** @param nowMs cuts its last day, when that runs then */
function sideOf(from: string, to: string, nowMs: number): Side {
  const days = daysFrom(from, to);
  return { fromMs: days.fromMs, untilMs: Math.min(days.untilMs, nowMs), days, nowMs };
}

/** A month and the one before it; while it runs both end on the same day at the same time, if both have it. */
export function monthAsked(now: Date, month: string): Asked {
  const [first, next] = [`${month}-01`, dayOf(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 1))];
  const to = month === LAST_DAY.slice(0, 7) ? LAST_DAY : before(next, 1);
  const previous = `${before(first, 1).slice(0, 7)}-01`;
  const asked = { now, query: `month=${month}`, from: first, to, current: sideOf(first, to, now.getTime()) };
  if (to !== LAST_DAY) return { ...asked, earlier: sideOf(previous, before(first, 1), Infinity) };
  const monthMs = Date.parse(first) - Date.parse(previous);
  return { ...asked, earlier: sideOf(previous, dayOf(Date.parse(to) - monthMs), now.getTime() - monthMs) };
}

function expected({ gross, cost, paidCalls, creditCalls, payers }: Counted) {
  return {
    gross_revenue: money(gross),
    attributed_cost: money(cost),
    net_margin: money(gross - cost),
    paid_calls: paidCalls,
    credit_calls: creditCalls,
    unique_payers: payers,
  };
}

const MOST_CUSTOMERS = 200;

/** Every figure of every answer about a period equals a count of the whole history. */
export async function expectAllAnswers(
  reporting: Reporting,
  history: History,
  asked: Asked,
  basis: Basis,
  pageRows = 1,
): Promise<void> {
  const { from, to, current, earlier } = asked;
  const window = daysFrom(from, to);
  const query = `?${asked.query}&basis=${basis}&compare=previous`;
  const count = (stretch: Stretch, path?: string) => counted(history, basis, stretch, path);
  const settled = history.payments.filter((payment) => outcomeOf(payment) === 'settled');
  const days = settled.map((payment) => dayOf(countsAt(payment, basis).getTime()));
  const isFirst = dayOf(earlier.fromMs) < (days.sort()[0] ?? '9999');

  const summary = await reporting.answer<SummaryView>(`summary${query}`);
  const late = history.payments.filter((payment) => countsAt(payment, 'settlement').getTime() >= window.untilMs);
  const adjusted = counted({ payments: late, credits: [] }, 'call', window);
  const outcomes = (outcome: string) => history.payments.filter((payment) => outcomeOf(payment) === outcome).length;
  expect(summary).toMatchObject({
    basis,
    window: {
      from,
      to,
      ...expected(count(window)),
      rebate_redeemed: { usd_exact: exact(count(window).redeemed) },
      adjusted_after:
        basis === 'settlement'
          ? null
          : { paid_calls: adjusted.paidCalls, net_margin: { usd_exact: exact(adjusted.gross - adjusted.cost) } },
    },
    today: { date: LAST_DAY, ...expected(count(daysFrom(LAST_DAY, LAST_DAY))) },
    all_time: expected(count(EVER)),
    settlement: {
      settled: settled.length,
      pending: outcomes('settlement_pending'),
      needs_reconciliation: outcomes('needs_reconciliation'),
      failed: outcomes('settlement_failed'),
    },
    previous: {
      window: isFirst
        ? null
        : {
            from: dayOf(earlier.fromMs),
            ...expected(count(earlier)),
            compared: { from, to, ...expected(count(current)) },
          },
    },
  });

  const endpoints = await reporting.answer<EndpointsView>(`endpoints${query}`);
  const rowsOf = (stretch: Stretch) =>
    PATHS.map((path) => {
      const figures = count(stretch, path);
      return { endpoint: path, ...expected(figures), last_call_at: figures.lastCallAt };
    });
  expect(endpoints).toMatchObject({
    endpoints: rowsOf(window),
    previous: isFirst ? null : { endpoints: rowsOf(earlier), compared: { endpoints: rowsOf(current) } },
  });

  for (const interval of INTERVALS) {
    if (interval === 'hour' && Date.parse(to) - Date.parse(from) >= 8 * DAY_MS) continue;
    const series = await reporting.answer<TimeseriesView>(`timeseries${query}&interval=${interval}`);
    const pointsOf = (stretch: Stretch, nowMs: number, untilMs = Infinity) =>
      piecesOf(interval, stretch, nowMs).map(({ complete, ...piece }) => ({
        date: dayOf(piece.fromMs),
        complete,
        ...(interval === 'hour' && { hour: new Date(piece.fromMs).getUTCHours() }),
        ...((interval === 'week' || interval === 'month') && { to: dayOf(piece.untilMs - 1) }),
        // Of a day that is compared in part nothing later counts.
        ...expected(count({ ...piece, untilMs: Math.min(piece.untilMs, untilMs) })),
      }));
    const points = pointsOf(window, asked.now.getTime());
    const previous = isFirst ? null : { points: pointsOf(earlier.days, earlier.nowMs, earlier.untilMs) };
    expect(series).toMatchObject({ interval, points, previous });
  }

  for (const sort of CUSTOMER_SORTS) {
    const sides = isFirst ? null : { current, earlier };
    const wanted = countedCustomers(history, { sort, basis, window, sides });
    const ranked = `customers${query}&sort=${sort}`;
    const all = await reporting.answer<CustomersView>(`${ranked}&limit=${MOST_CUSTOMERS}`);
    const [rebates, tiers] = [countedRebates(history, asked.now), countedTiers(history)];
    expect(all).toMatchObject({ sort, customers: wanted.slice(0, MOST_CUSTOMERS), rebates, tier_distribution: tiers });
    const paged: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null && paged.length < all.customers.length;) {
      const page: CustomersView = await reporting.answer(`${ranked}&limit=${pageRows}${cursor && `&cursor=${cursor}`}`);
      paged.push(...page.customers);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all.customers);
  }
  const credits = await reporting.answer<object>(`credits?${asked.query}`);
  expect(credits).toMatchObject(countedCredits(history, window, asked.now));
  const { cohorts } = await reporting.answer<{ cohorts: object[] }>(`cohorts?from=${from}&to=${to}`);
  expect(cohorts).toMatchObject(countedCohorts(history, from, to, LAST_DAY));
}
