import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import fc from 'fast-check';
import { eventsOf, HISTORIES, outcomeOf, type History, type PublishedEvent } from '../projection/history.fixture';
import { counted, exact, type Counted } from './counted.fixture';
import type { EndpointsView } from './figures/read-endpoints';
import { noon, Reporting } from './reporting.fixture';
import type { SummaryView } from './figures/read-summary';
import type { PointView, TimeseriesView } from './figures/read-timeseries';

const DAY_MS = 86_400_000;
const EVERYTHING = ['0000-01-01', '9999-12-31'] as const;

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());

/** A history, published in any order and partly twice. */
const TOLD = HISTORIES.chain((history) => {
  const events = eventsOf(history);
  const order = fc.shuffledSubarray(events, { minLength: events.length, maxLength: events.length });
  const again =
    events.length > 0 ? fc.array(fc.constantFrom(...events), { maxLength: 5 }) : fc.constant<PublishedEvent[]>([]);
  return fc.record({ history: fc.constant(history), order, again });
});

const dayBefore = (days: number) => new Date(noon.getTime() - days * DAY_MS).toISOString().slice(0, 10);

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

async function readAll(days: number) {
  const query = `?days=${days}&compare=previous`;
  const summary = await reporting.answer<SummaryView>(`summary${query}`);
  const endpoints = await reporting.answer<EndpointsView>(`endpoints${query}`);
  const timeseries = await reporting.answer<TimeseriesView>(`timeseries${query}`);
  return { summary, endpoints, timeseries };
}

it('has the same figures in all answers, equal to a count of the whole history', async () => {
  await fc.assert(
    fc.asyncProperty(TOLD, fc.integer({ min: 1, max: 75 }), async ({ history, order, again }, days) => {
      await reporting.forget();
      await reporting.publish(...order, ...again);
      const count = (first: string, last: string, path?: string) => counted(history, first, last, path);
      const { summary, endpoints, timeseries } = await readAll(days);
      const [from, to] = [dayBefore(days - 1), dayBefore(0)];
      const [previousFrom, previousTo] = [dayBefore(2 * days - 1), dayBefore(days)];

      expect(summary).toMatchObject({
        window: { days, from, to, ...expected(count(from, to)) },
        today: { date: to, ...expected(count(to, to)) },
        all_time: expected(count(...EVERYTHING)),
        settlement: settlementOf(history),
        previous: {
          window: { from: previousFrom, to: previousTo, ...expected(count(previousFrom, previousTo)) },
          today: { date: dayBefore(1), ...expected(count(dayBefore(1), dayBefore(1))) },
        },
      });
      expect(summary.window.rebate_redeemed.usd_exact).toBe(exact(count(from, to).redeemed));
      expect(timeseries.points).toMatchObject(
        Array.from({ length: days }, (_, index) => dayBefore(days - 1 - index)).map((date) => ({
          date,
          ...expected(count(date, date)),
        })),
      );
      for (const { rows, ...range } of [
        { rows: endpoints.endpoints, from, to },
        { rows: endpoints.previous!.endpoints, from: previousFrom, to: previousTo },
      ]) {
        expect(rows).toMatchObject(
          PAID_ENDPOINTS.map(({ path }) => {
            const figures = count(range.from, range.to, path);
            return { endpoint: path, ...expected(figures), last_call_at: figures.lastCallAt };
          }),
        );
      }

      const sums = added([summary.window]);
      expect(added(timeseries.points)).toEqual(sums);
      expect(added(endpoints.endpoints)).toEqual(sums);
      const previous = added([summary.previous!.window]);
      expect(added(timeseries.previous!.points)).toEqual(previous);
      expect(added(endpoints.previous!.endpoints)).toEqual(previous);
    }),
    { numRuns: 20 },
  );
}, 120_000);

function settlementOf({ payments }: History) {
  const count = (outcome: string) => payments.filter((payment) => outcomeOf(payment) === outcome).length;
  return {
    settled: count('settled'),
    pending: count('settlement_pending'),
    needs_reconciliation: count('needs_reconciliation'),
    failed: count('settlement_failed'),
  };
}
