import { usdAmount } from '@evenkeel/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { AsOfView, Is, Money, numbersOf, percentOf, plus, zerosOf } from '../figures/figures';
import { instantsOf, lastOfMonth, shifted, windowOf } from '../figures/window';
import type { CohortsQuery } from '../revenue-query';
import type { Read } from '../revenue-snapshot';

export class CohortMonthView {
  @Is.month() month!: string;
  @Is.count('wallets of the cohort that paid in this month') active_wallets!: number;
  @Is.member('of the wallets of the cohort, in per cent with two decimals') retention_pct!: number;
  @Is.count() paid_calls!: number;
  @Is.member() gross_revenue!: Money;
}

/** Wallets that paid for the first time in one month, and their payments since. */
export class CohortView {
  @Is.month('of the first payment') month!: string;
  @Is.count() wallets!: number;
  @Is.member() gross_revenue!: Money;
  @Is.listOf(CohortMonthView, 'from the first month to the present one') months!: CohortMonthView[];
}

export class CohortsView extends AsOfView {
  @Is.oneOf(['USD']) currency!: 'USD';
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 38, description: 'cohorts in this answer' }) months!: number;
  @Is.month() from!: string;
  @Is.month() to!: string;
  @Is.listOf(CohortView, 'one for each month, oldest first') cohorts!: CohortView[];
}

const FIGURES = ['wallets', 'paid_calls', 'gross'] as const;
type Figures<Value> = Record<(typeof FIGURES)[number], Value>;
type Row = Figures<string> & { cohort: string; month: string };

const COHORTS = `
  SELECT to_char(cohort, 'YYYY-MM') AS cohort, to_char(month, 'YYYY-MM') AS month, count(*) AS wallets,
    sum(paid_calls)::bigint AS paid_calls, sum(gross_micros)::bigint AS gross
  FROM (
    SELECT wallet, date_trunc('month', first_payment_at AT TIME ZONE 'UTC') AS cohort FROM wallet_totals
    WHERE first_payment_at >= $1::timestamptz AND first_payment_at < $2::timestamptz
  ) followed
  JOIN wallet_months USING (wallet)
  WHERE month >= ($1::timestamptz AT TIME ZONE 'UTC')::date AND paid_calls > 0
  GROUP BY cohort, month`;

/** Wallets by the month of their first payment, each followed to the present month. */
export const readCohorts: Read<CohortsQuery, CohortsView> = async (tx, now, { period, lastMonths }) => {
  const present = now.toISOString();
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - lastMonths + 1, 1)).toISOString();
  const days = period ? windowOf(period, now) : { from: first, to: present };
  const names = monthsBetween(days.from, days.to);
  const [from, to] = [names[0]!, names.at(-1)!];
  const rows = await tx.query<Row[]>(COHORTS, instantsOf({ from: `${from}-01`, to: lastOfMonth(`${to}-01`) }));
  const cohorts = names.map((name) => cohortView(name, monthsBetween(name, present), rows));
  return { currency: 'USD' as const, months: names.length, from, to, cohorts };
};

const NOBODY: Figures<number> = zerosOf(FIGURES);

function cohortView(cohort: string, months: readonly string[], rows: readonly Row[]): CohortView {
  const own = new Map(rows.filter((row) => row.cohort === cohort).map((row) => [row.month, numbersOf(row, FIGURES)]));
  // All wallets of a cohort paid in its first month.
  const { wallets } = own.get(cohort) ?? NOBODY;
  return {
    month: cohort,
    wallets,
    gross_revenue: usdAmount([...own.values()].reduce(plus, NOBODY).gross),
    months: months.map((month) => {
      const { wallets: active, paid_calls, gross } = own.get(month) ?? NOBODY;
      const retention = percentOf(active, wallets) ?? 0;
      return { month, active_wallets: active, retention_pct: retention, paid_calls, gross_revenue: usdAmount(gross) };
    }),
  };
}

/** Both included, as `YYYY-MM`. @param first, last days or instants of them, or they themselves */
function monthsBetween(first: string, last: string): string[] {
  const months = [];
  for (let month = first.slice(0, 7); month <= last.slice(0, 7);) {
    months.push(month);
    month = shifted(lastOfMonth(`${month}-01`), 1).slice(0, 7);
  }
  return months;
}
