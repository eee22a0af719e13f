import { cohortsQuery, isRange } from './period';

it.each([
  ['2026-01-01', '2026-01-01', true],
  ['2025-12-31', '2026-01-01', true],
  ['2026-01-02', '2026-01-01', false],
  ['2026-02-30', '2026-03-01', false],
  ['2026-1-1', '2026-01-02', false],
  ['', '2026-01-02', false],
  ['2023-01-01', '2026-01-05', true],
  ['2023-01-01', '2026-01-06', false],
])('from %s to %s is a range: %p', (from, to, isOne) => expect(isRange(from, to)).toBe(isOne));

it.each([
  [{ days: 1 }, { months: '12' }],
  [{ days: 364 }, { months: '13' }],
  [{ month: '2026-01' }, { from: '2025-02-01', to: '2026-01-01' }],
  [
    { from: '2023-06-15', to: '2026-01-31' },
    { from: '2023-06-01', to: '2026-01-01' },
  ],
])('%j are the cohorts of a year, or of all of it: %j', (period, query) => expect(cohortsQuery(period)).toEqual(query));
