import type { Summary } from './answers';
import { healthOf } from './health.panel';

const none = { settled: 0, pending: 0, needs_reconciliation: 0, failed: 0 };
const aSummary = (settlement: Partial<Summary['settlement']>, lag_seconds = 0) =>
  ({ settlement: { ...none, ...settlement }, lag_seconds }) as Summary;

it.each([
  [{ settled: 4302 }, 'good', 'All 4,302 payments settled.'],
  [{ settled: 1 }, 'good', 'The only payment settled.'],
  [{ settled: 4302, failed: 1 }, 'good', '4,302 settled, nothing waits. 1 payment failed.'],
  [{ settled: 9, pending: 2 }, 'waiting', '2 payments wait for settlement, oldest 4 min.'],
  [{ settled: 9, pending: 1 }, 'waiting', '1 payment waits for settlement, oldest 4 min.'],
  [{ settled: 9, needs_reconciliation: 1 }, 'trouble', '1 payment needs a person.'],
  [
    { needs_reconciliation: 2, pending: 1 },
    'trouble',
    '2 payments need a person. 1 payment waits for settlement, oldest 4 min.',
  ],
  [{}, 'empty', 'No payment yet.'],
])('%j is %s: %s', (settlement, level, sentence) => {
  expect(healthOf(aSummary(settlement), 4 * 60_000)).toMatchObject({ level, sentence });
});

it('links to exactly the rows of its sentence', () => {
  expect(healthOf(aSummary({ pending: 1 }), undefined).rows).toBe('settlement_pending');
  expect(healthOf(aSummary({ pending: 1, needs_reconciliation: 1 }), undefined).rows).toBe('needs_reconciliation');
  expect(healthOf(aSummary({ settled: 1 }), undefined).rows).toBeUndefined();
});

it('omits an unknown age', () => {
  expect(healthOf(aSummary({ pending: 300 }), undefined).sentence).toBe('300 payments wait for settlement.');
});

it('is not good while the numbers are far behind', () => {
  expect(healthOf(aSummary({ settled: 9 }, 29), undefined).level).toBe('good');
  expect(healthOf(aSummary({ settled: 9 }, 180), undefined)).toMatchObject({
    level: 'waiting',
    sentence: 'The numbers are 3 min behind the ledger. Payments go on.',
  });
});
