import { exact } from './counted.fixture';
import type { CreditsView } from './ledger/read-credits';
import type { SummaryView } from './figures/read-summary';
import { Reporting } from './reporting.fixture';
import { aCredit, aPayment, publishedOf } from './story.fixture';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());
beforeEach(() => reporting.forget());

const at = (text: string) => new Date(`${text}Z`);
const MINUTE_MS = 60_000;

/** The records of a file by its titles; no field of these has a comma. */
async function file(path: string): Promise<Record<string, string>[]> {
  const [titles, ...lines] = (await reporting.read(path)).text.split('\r\n').slice(0, -1);
  const names = titles!.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((field, place) => [names[place]!, field])));
}

const micros = (text: string) => BigInt(text.replace('.', ''));
const sum = (texts: string[]) => texts.reduce((total, text) => total + micros(text), 0n);

/** Revenue and margin as a reader of the two files would make them. */
function figuresOf(payments: Record<string, string>[], credits: Record<string, string>[]) {
  const settled = payments.filter(({ status }) => status === 'settled');
  const unpaid = payments.filter(({ status, served }) => status === 'settlement_failed' && served === 'true');
  const redeemed = credits.filter(({ kind }) => kind === 'redeemed');
  const gross = sum(settled.map((row) => row.amount_usd!));
  const calls = sum([...settled, ...unpaid].map((row) => row.attributed_cost!));
  const cost = calls + sum(redeemed.map((row) => row.attributed_cost_usd!));
  return { gross: exact(gross), margin: exact(gross - cost), paid: settled.length, byCredit: redeemed.length };
}

function shown({ window }: SummaryView) {
  const { gross_revenue, net_margin, paid_calls, credit_calls } = window;
  return { gross: gross_revenue.usd_exact, margin: net_margin.usd_exact, paid: paid_calls, byCredit: credit_calls };
}

const summary = (basis: string) => reporting.answer<SummaryView>(`summary?month=2026-01&basis=${basis}`);

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
    files: await Promise.all(files.map(async (path) => (await reporting.read(path)).text)),
  };
  expect(shown(closed.figures)).toEqual(figuresOf(await file(files[0]!), await file(files[1]!)));
  expect(shown(closed.figures)).toMatchObject({ gross: '0.080000', paid: 2, byCredit: 1 });

  reporting.clock.set(at('2026-02-10T12:00:00.000'));
  await reporting.publish(...publishedOf(late));
  expect((await summary('settlement')).window).toEqual(closed.figures.window);
  expect(await Promise.all(files.map(async (path) => (await reporting.read(path)).text))).toEqual(closed.files);

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
