import { eventually } from '@evenkeel/platform/testing';
import fc from 'fast-check';
import { eventsOf, HISTORIES, outcomeOf, type CreditStory, type History } from '../projection/history.fixture';
import { counted, type Counted, countsAt, DAY_MS, exact, type Stretch } from './counted.fixture';
import type { CreditsView } from './ledger/read-credits';
import type { SummaryView } from './figures/read-summary';
import { Reporting } from './reporting.fixture';
import { aCredit, aPayment, publishedOf } from './story.fixture';

const RUNS = Number(process.env.CLOSED_MONTH_RUNS ?? sized(8, 300));
const SEED = Number(process.env.CLOSED_MONTH_SEED ?? Math.floor(Math.random() * 2 ** 31));

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());
beforeEach(() => reporting.forget());

const at = (text: string) => new Date(`${text}Z`);
const MINUTE_MS = 60_000;

/** An export that has just been read may still count as one of the two that are read at once. */
const exported = (path: string): Promise<string> =>
  eventually(async () => {
    const { status, text } = await reporting.read(path);
    expect(status).toBe(200);
    return text;
  });

/** The records of a file by its titles; no field of these has a comma. */
function recordsOf(text: string): Record<string, string>[] {
  const [titles, ...lines] = text.split('\r\n').slice(0, -1);
  const names = titles!.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((field, place) => [names[place]!, field])));
}

const file = async (path: string) => recordsOf(await exported(path));

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

const summary = (basis: string, month = '2026-01') =>
  reporting.answer<SummaryView>(`summary?month=${month}&basis=${basis}`);

/** When all of every history has ended. */
const LONG_AFTER = at('2026-03-01T00:00:00.000');

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

/** The events until then: a payment that has not ended is open. */
function upTo({ payments, credits }: History, now: Date): History {
  const isPast = (instant: Date) => instant <= now;
  return {
    payments: payments
      .filter(({ verifiedAt }) => isPast(verifiedAt))
      .map((payment) =>
        isPast(countsAt(payment, 'settlement')) ? payment : { ...payment, states: ['settlement_pending'] },
      ),
    credits: credits
      .filter(({ issuedAt }) => isPast(issuedAt!))
      .map((credit) => ({ ...credit, redeemedAt: isPast(credit.redeemedAt ?? now) ? credit.redeemedAt : null })),
  };
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
          files: [await exported(paths[0]), await exported(paths[1])] as const,
        });
        await reporting.forget();
        reporting.clock.set(closedAt);
        await reporting.publish(...eventsOf(upTo(history, closedAt)));
        const closed = await look();
        expect(shown(closed.bySettlement)).toEqual(shownOf(counted(history, 'settlement', stretch)));
        const [payments, credits] = closed.files.map(recordsOf);
        expect(shown(closed.bySettlement)).toEqual(figuresOf(payments!, credits!));
        expect(payments!.map(({ id }) => id)).toEqual(endedIn(stretch, history));

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
          ...{ gross: adjusted.gross, margin: adjusted.gross - adjusted.cost, paid: adjusted.paidCalls },
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

it('a month that is closed and exported by settlement stays as it is, and by call tells what came after', async () => {
  const early = [
    aPayment({ verifiedAt: at('2025-12-31T23:59:59.000'), endsAfterMs: MINUTE_MS }),
    aPayment({ verifiedAt: at('2026-01-10T10:00:00.000'), amountMicros: 30_000, endsAfterMs: 800 }),
    aPayment({ verifiedAt: at('2026-01-20T10:00:00.000'), states: ['settlement_failed'], endsAfterMs: 800 }),
  ];
  const late = [
    aPayment({ verifiedAt: at('2026-01-31T23:59:30.000'), amountMicros: 80_000, endsAfterMs: MINUTE_MS }),
    aPayment({ verifiedAt: at('2026-01-30T10:00:00.000'), amountMicros: 100_000, endsAfterMs: 4 * 86_400_000 }),
    aPayment({ verifiedAt: at('2026-01-31T23:59:30.000'), states: ['settlement_failed'], endsAfterMs: MINUTE_MS }),
  ];
  const open = late.map((payment) => ({ ...payment, states: ['settlement_pending' as const] }));
  const used = aCredit({ issuedAt: at('2026-01-05T00:00:00.000'), redeemedAt: at('2026-01-06T00:00:00.000') });
  reporting.clock.set(at('2026-02-01T00:00:00.000'));
  await reporting.publish(...publishedOf([...early, ...open], [used]));
  const files = ['payments.csv?month=2026-01&basis=settlement', 'credits.csv?month=2026-01'];
  const closed = {
    figures: await summary('settlement'),
    byCall: await summary('call'),
    files: await Promise.all(files.map(exported)),
  };
  expect(shown(closed.figures)).toEqual(figuresOf(await file(files[0]!), await file(files[1]!)));
  expect(shown(closed.figures)).toMatchObject({ gross: '0.080000', paid: 2, byCredit: 1 });

  reporting.clock.set(at('2026-02-10T12:00:00.000'));
  await reporting.publish(...publishedOf(late));
  expect((await summary('settlement')).window).toEqual(closed.figures.window);
  expect(await Promise.all(files.map(exported))).toEqual(closed.files);

  const byCall = await summary('call');
  const { adjusted_after: adjusted } = byCall.window;
  const [now, then] = [shown(byCall), shown(closed.byCall)];
  expect(closed.byCall.window.adjusted_after).toMatchObject({
    paid_calls: 0,
    gross_revenue: { usd_exact: '0.000000' },
  });
  expect(adjusted).toMatchObject({ paid_calls: 2, gross_revenue: { usd_exact: '0.180000' } });
  expect([micros(now.gross) - micros(then.gross), micros(now.margin) - micros(then.margin)]).toEqual([
    micros(adjusted!.gross_revenue.usd_exact),
    micros(adjusted!.net_margin.usd_exact),
  ]);
  expect(now).toEqual(figuresOf(await file('payments.csv?month=2026-01'), await file(files[1]!)));
});

it('revenue, margin and what is owed can be made from the two files alone', async () => {
  reporting.clock.set(at('2026-02-10T12:00:00.000'));
  const payments = [
    aPayment({ tier: 'tier_1', rebateMicros: 2_500 }),
    aPayment({ states: ['settlement_failed'] }),
    aPayment({ states: ['settlement_failed'], served: false }),
    aPayment({ states: ['settlement_pending'] }),
  ];
  const credits = [
    aCredit({ redeemedAt: at('2026-02-03T00:00:00.000'), priceMicros: 30_000, changeMicros: 70_000 }),
    aCredit({ expiresAt: at('2026-02-09T00:00:00.000') }),
    aCredit({ expiresAt: at('2026-02-11T00:00:00.000') }),
    aCredit(),
  ];
  await reporting.publish(...publishedOf(payments, credits));
  const [paymentLines, creditLines] = [await file('payments.csv?days=365'), await file('credits.csv?days=365')];
  const { window } = await reporting.answer<SummaryView>('summary?days=365');
  expect(figuresOf(paymentLines, creditLines)).toMatchObject({
    gross: window.gross_revenue.usd_exact,
    margin: window.net_margin.usd_exact,
  });
  expect(creditLines.map(({ kind }) => kind).sort()).toEqual([
    ...Array<string>(1).fill('expired'),
    ...Array<string>(4).fill('issued'),
    'redeemed',
  ]);
  const faceOf = (wanted: string) =>
    sum(creditLines.filter(({ kind }) => kind === wanted).map((row) => row.face_value_usd!));
  const { closing } = await reporting.answer<CreditsView>('credits?days=365');
  expect(exact(faceOf('issued') - faceOf('redeemed') - faceOf('expired'))).toBe(closing.face_value.usd_exact);
  expect(closing.face_value.usd_exact).toBe('0.200000');
});
