import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import fc from 'fast-check';
import { eventsOf, HISTORIES, outcomeOf, type CreditStory, type History } from '../projection/history.fixture';
import {
  counted,
  type Counted,
  countsAt,
  DAY_MS,
  exact,
  isIn,
  micros,
  type Stretch,
  total,
  upTo,
} from './counted.fixture';
import type { SummaryView } from './figures/read-summary';
import { Reporting } from './reporting.fixture';
import type { StatementView } from './statement/read-statement';

const RUNS = Number(process.env.CLOSED_MONTH_RUNS ?? sized(8, 300));
const SEED = Number(process.env.CLOSED_MONTH_SEED ?? Math.floor(Math.random() * 2 ** 31));

const reporting = Reporting.forSuite();

type Lines = readonly Record<string, string>[];

/** Figures of a statement as a reader of the two files would make them. */
function statementOf(payments: Lines, credits: Lines) {
  const sum = (lines: Lines, name: string) => total(lines.map((line) => micros(line[name]!)));
  const money = (amount: number) => ({ usd_exact: exact(amount) });
  const of = (kind: string) => credits.filter((line) => line['kind'] === kind);
  const flow = (kind: string) => ({ credits: of(kind).length, face_value: money(sum(of(kind), 'face_value_usd')) });
  const calls = (paid: Lines, redeemed: Lines) => {
    const settled = paid.filter(({ status }) => status === 'settled');
    const [gross, cost] = [sum(settled, 'amount_usd'), sum([...paid, ...redeemed], 'attributed_cost')];
    return {
      paid_calls: settled.length,
      credit_calls: redeemed.length,
      gross_revenue: money(gross),
      attributed_cost: money(cost),
      net_margin: money(gross - cost),
    };
  };
  const endpoints = PAID_ENDPOINTS.map(({ path }) => {
    const own = (lines: Lines) => lines.filter(({ endpoint }) => endpoint === path);
    return { endpoint: path, ...calls(own(payments), own(of('redeemed'))) };
  });
  return {
    closed: true,
    basis: 'settlement',
    calls: { ...calls(payments, of('redeemed')), endpoints },
    credits: {
      issued: flow('issued'),
      redeemed: flow('redeemed'),
      expired: flow('expired'),
      rebate_redeemed: money(sum(of('redeemed'), 'price_usd')),
      returned_change: money(sum(of('redeemed'), 'change_usd')),
    },
  };
}

/** When all of every history has ended. */
const LONG_AFTER = new Date('2026-03-01T00:00:00.000Z');

/** A history, and the month of it that is closed, some time after its last day. */
const CLOSED = fc.record({
  history: HISTORIES.map(({ payments, credits }) => ({ payments, credits: credits.filter(isPossible) })),
  month: fc.constantFrom('2025-12', '2026-01'),
  afterMs: fc.constantFrom(0, 1, 43_200_000, DAY_MS, 5 * DAY_MS),
});

/** The gateway issues a credit, and takes it until it expires. */
function isPossible({ issuedAt, redeemedAt, expiresAt }: CreditStory): boolean {
  return (
    issuedAt !== null && issuedAt <= (redeemedAt ?? LONG_AFTER) && (redeemedAt ?? issuedAt) <= (expiresAt ?? LONG_AFTER)
  );
}

function stretchOf(month: string): Stretch {
  const [year, number] = month.split('-').map(Number);
  return { fromMs: Date.UTC(year!, number! - 1, 1), untilMs: Date.UTC(year!, number, 1) };
}

const shownOf = ({ gross, cost, paidCalls, creditCalls }: Counted) => ({
  gross_revenue: { usd_exact: exact(gross) },
  net_margin: { usd_exact: exact(gross - cost) },
  paid_calls: paidCalls,
  credit_calls: creditCalls,
});

/** The payments that ended in it, as the file of the month has them. */
function endedIn(stretch: Stretch, { payments }: History): string[] {
  const endOf = (payment: History['payments'][number]) => countsAt(payment, 'settlement');
  return payments
    .filter((payment) => ['settled', 'settlement_failed'].includes(outcomeOf(payment)) && isIn(endOf(payment), stretch))
    .sort((one, other) => +endOf(other) - +endOf(one) || (one.id < other.id ? 1 : -1))
    .map(({ id }) => id);
}

it(
  `any month that is closed equals its rows after whatever settles later (CLOSED_MONTH_SEED=${SEED})`,
  async () => {
    await fc.assert(
      fc.asyncProperty(CLOSED, async ({ history, month, afterMs }) => {
        const stretch = stretchOf(month);
        const closedAt = new Date(stretch.untilMs + afterMs);
        const paths = [`payments.csv?month=${month}&basis=settlement`, `credits.csv?month=${month}`] as const;
        const look = async () => ({
          statement: await reporting.answer<StatementView>(`statement?month=${month}`),
          byCall: (await reporting.answer<SummaryView>(`summary?month=${month}`)).window,
          files: [await reporting.file(paths[0]), await reporting.file(paths[1])] as const,
        });
        await reporting.forget();
        reporting.clock.set(closedAt);
        await reporting.publish(...eventsOf(upTo(history, closedAt)));
        const closed = await look();
        const [payments, credits] = closed.files;
        expect(closed.statement).toMatchObject(statementOf(payments, credits));
        expect(closed.statement.calls).toMatchObject(shownOf(counted(history, 'settlement', stretch)));
        expect(payments.map(({ id }) => id)).toEqual(endedIn(stretch, history));

        reporting.clock.set(LONG_AFTER);
        await reporting.publish(...eventsOf(history));
        const later = await look();
        expect([later.statement.calls, later.statement.credits]).toEqual([
          closed.statement.calls,
          closed.statement.credits,
        ]);
        expect(later.statement.corrected_since.calls).toEqual(later.byCall.adjusted_after);
        expect(later.files).toEqual(closed.files);

        // Later changes are shown separately, and nothing else has moved.
        const late = history.payments.filter((payment) => countsAt(payment, 'settlement').getTime() >= stretch.untilMs);
        const adjusted = counted({ payments: late, credits: [] }, 'call', stretch);
        expect(adjustedOf(later.byCall)).toEqual([adjusted.gross, adjusted.gross - adjusted.cost, adjusted.paidCalls]);
        const settledBy = ({ gross_revenue, net_margin, paid_calls }: SummaryView['window'], moved: number[]) =>
          [micros(gross_revenue.usd_exact), micros(net_margin.usd_exact), paid_calls].map(
            (sum, at) => sum - moved[at]!,
          );
        expect(settledBy(later.byCall, adjustedOf(later.byCall))).toEqual(
          settledBy(closed.byCall, adjustedOf(closed.byCall)),
        );
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  },
  RUNS * 8_000 + 60_000,
);

function adjustedOf({ adjusted_after: adjusted }: SummaryView['window']): number[] {
  const { gross_revenue, net_margin, paid_calls } = adjusted!;
  return [micros(gross_revenue.usd_exact), micros(net_margin.usd_exact), paid_calls];
}
