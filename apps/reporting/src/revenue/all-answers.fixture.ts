import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { LAST_DAY, outcomeOf, type History } from '../projection/history.fixture';
import { counted, type Counted, countsAt, DAY_MS, daysFrom, exact, piecesOf, type Stretch } from './counted.fixture';
import {
  countedCohorts,
  countedCredits,
  countedCustomers,
  countedRebates,
  countedTiers,
} from './counted-wallets.fixture';
import type { Basis } from './figures/basis';
import { INTERVALS } from './figures/intervals';
import type { EndpointsView } from './figures/read-endpoints';
import type { SummaryView } from './figures/read-summary';
import type { PointView, TimeseriesView } from './figures/read-timeseries';
import { CUSTOMER_SORTS } from './ledger/rank-customers';
import type { CohortsView } from './ledger/read-cohorts';
import type { CreditsView } from './ledger/read-credits';
import type { CustomersView } from './ledger/read-customers';
import type { Reporting } from './reporting.fixture';

const EVER: Stretch = { fromMs: -Infinity, untilMs: Infinity };
const PATHS = PAID_ENDPOINTS.map(({ path }) => path);

export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
export const before = (day: string, days: number) => dayOf(Date.parse(day) - days * DAY_MS);

/** A request at a time, with its ranges computed by hand. */
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
  let weeks = 1;
  while (weeks * 7 < days) weeks++;
  const back = weeks * 7;
  return {
    now,
    query,
    from,
    to,
    current: sideOf(from, to, now.getTime()),
    earlier: sideOf(before(from, back), before(to, back), now.getTime() - back * DAY_MS),
  };
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

/** How many customers are compared of each order, and in pages of how many. */
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
      from,
      to,
      ...expected(count(daysFrom(from, to))),
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
        date: dayOf(piece.fromMs),
        complete,
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
  for (const sort of CUSTOMER_SORTS) {
    const sides = isFirst ? null : { current, earlier };
    const wanted = countedCustomers(history, { sort, basis, window, sides });
    const ranked = `customers?${asked.query}&basis=${basis}&compare=previous&sort=${sort}`;
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
}

function settlementOf({ payments }: History) {
  const count = (outcome: string) => payments.filter((payment) => outcomeOf(payment) === outcome).length;
  return {
    settled: count('settled'),
    pending: count('settlement_pending'),
    needs_reconciliation: count('needs_reconciliation'),
    failed: count('settlement_failed'),
  };
}
