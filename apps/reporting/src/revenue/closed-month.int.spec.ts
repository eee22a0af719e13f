import fc from 'fast-check';
import { eventsOf, HISTORIES, outcomeOf, type CreditStory, type History } from '../projection/history.fixture';
import { counted, type Counted, countsAt, DAY_MS, exact, type Stretch, upTo } from './counted.fixture';
import type { SummaryView } from './figures/read-summary';
import { Reporting } from './reporting.fixture';

const RUNS = Number(process.env.CLOSED_MONTH_RUNS ?? sized(8, 300));
const SEED = Number(process.env.CLOSED_MONTH_SEED ?? Math.floor(Math.random() * 2 ** 31));

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());

const micros = (text: string) => BigInt(text.replace('.', ''));
const sum = (texts: string[]) => texts.reduce((total, text) => total + micros(text), 0n);

/** Revenue and margin as a reader of the two files would make them. */
function figuresOf(payments: Record<string, string>[], credits: Record<string, string>[]) {
  const settled = payments.filter(({ status }) => status === 'settled');
  const redeemed = credits.filter(({ kind }) => kind === 'redeemed');
  const gross = sum(settled.map((row) => row.amount_usd!));
  const calls = sum(payments.map((row) => row.attributed_cost!));
  const cost = calls + sum(redeemed.map((row) => row.attributed_cost!));
  return { gross: exact(gross), margin: exact(gross - cost), paid: settled.length, byCredit: redeemed.length };
}

function shown({ window }: SummaryView) {
  const { gross_revenue, net_margin, paid_calls, credit_calls } = window;
  return { gross: gross_revenue.usd_exact, margin: net_margin.usd_exact, paid: paid_calls, byCredit: credit_calls };
}

const summary = (basis: string, month: string) =>
  reporting.answer<SummaryView>(`summary?month=${month}&basis=${basis}`);

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

function shownOf({ gross, cost, paidCalls, creditCalls }: Counted): ReturnType<typeof shown> {
  return { gross: exact(gross), margin: exact(gross - cost), paid: paidCalls, byCredit: creditCalls };
}

/** The payments that ended in it, as the file of the month has them. */
function endedIn({ fromMs, untilMs }: Stretch, { payments }: History): string[] {
  const ended = payments
    .filter((payment) => ['settled', 'settlement_failed'].includes(outcomeOf(payment)))
    .map((payment) => ({ id: payment.id, ms: countsAt(payment, 'settlement').getTime() }))
    .filter(({ ms }) => ms >= fromMs && ms < untilMs);
  return ended.sort((one, other) => other.ms - one.ms || (one.id < other.id ? 1 : -1)).map(({ id }) => id);
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
          bySettlement: await summary('settlement', month),
          byCall: await summary('call', month),
          files: [await reporting.file(paths[0]), await reporting.file(paths[1])] as const,
        });
        await reporting.forget();
        reporting.clock.set(closedAt);
        await reporting.publish(...eventsOf(upTo(history, closedAt)));
        const closed = await look();
        expect(shown(closed.bySettlement)).toEqual(shownOf(counted(history, 'settlement', stretch)));
        const [payments, credits] = closed.files;
        expect(shown(closed.bySettlement)).toEqual(figuresOf(payments, credits));
        expect(payments.map(({ id }) => id)).toEqual(endedIn(stretch, history));

        reporting.clock.set(LONG_AFTER);
        await reporting.publish(...eventsOf(history));
        const later = await look();
        expect(later.bySettlement.window).toEqual(closed.bySettlement.window);
        expect(later.files).toEqual(closed.files);

        // Later changes are shown separately, and nothing else has moved.
        const isLate = ({ verifiedAt, endsAfterMs }: History['payments'][number]) =>
          verifiedAt.getTime() + endsAfterMs >= stretch.untilMs;
        const late = { payments: history.payments.filter(isLate), credits: [] };
        const adjusted = counted(late, 'call', stretch);
        expect(adjustedOf(later.byCall)).toEqual({
          gross: adjusted.gross,
          margin: adjusted.gross - adjusted.cost,
          paid: adjusted.paidCalls,
        });
        const [then, now] = [shown(closed.byCall), shown(later.byCall)];
        const [before, after] = [adjustedOf(closed.byCall), adjustedOf(later.byCall)];
        expect({
          gross: micros(now.gross) - micros(then.gross),
          margin: micros(now.margin) - micros(then.margin),
          paid: now.paid - then.paid,
        }).toEqual({
          gross: after.gross - before.gross,
          margin: after.margin - before.margin,
          paid: after.paid - before.paid,
        });
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  },
  RUNS * 8_000 + 60_000,
);

function adjustedOf({ window: { adjusted_after: adjusted } }: SummaryView) {
  return {
    gross: micros(adjusted!.gross_revenue.usd_exact),
    margin: micros(adjusted!.net_margin.usd_exact),
    paid: adjusted!.paid_calls,
  };
}
