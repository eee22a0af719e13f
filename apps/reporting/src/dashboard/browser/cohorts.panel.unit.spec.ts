import { shadeOf } from './cohorts.panel';
import { cohortsQuery } from './period';

it.each([
  [{ days: 1 }, { months: '12' }],
  [{ days: 364 }, { months: '13' }],
  [{ month: '2026-01' }, { from: '2025-02-01', to: '2026-01-01' }],
  [
    { from: '2025-12-30', to: '2026-01-31' },
    { from: '2025-02-01', to: '2026-01-01' },
  ],
  [
    { from: '2023-06-15', to: '2026-01-31' },
    { from: '2023-06-01', to: '2026-01-01' },
  ],
])('%j are the cohorts of a year, or of all of it: %j', (period, query) => expect(cohortsQuery(period)).toEqual(query));

it.each([
  [0, 0, 0],
  [1, 0.01, 1],
  [3, 19.99, 1],
  [3, 20, 2],
  [3, 79.99, 4],
  [9, 100, 5],
])('%i wallets, %d per cent have the shade %i', (active_wallets, retention_pct, shade) => {
  const gross_revenue = { usd: 0, usd_exact: '0.000000' };
  expect(shadeOf({ month: '2026-01', active_wallets, retention_pct, paid_calls: 0, gross_revenue })).toBe(shade);
});
