import { DEFAULT_SETTINGS, hashOf, readHash, type PageSettings } from './settings';

it.each<[string, Partial<PageSettings>]>([
  ['#days=28', {}],
  ['#month=2026-01&basis=settlement', { period: { month: '2026-01' }, basis: 'settlement' }],
  [
    '#from=2025-11-03&to=2026-01-31&interval=week',
    { period: { from: '2025-11-03', to: '2026-01-31' }, interval: 'week' },
  ],
  ['#days=7&compare=off', { period: { days: 7 }, compare: false }],
  [
    '#days=364&theme=dark&status=needs_reconciliation',
    { period: { days: 364 }, theme: 'dark', status: 'needs_reconciliation' },
  ],
  ['#days=28&q=a+b&day=2026-02-28', { filters: { q: 'a b', day: '2026-02-28' } }],
  ['#days=28&endpoint=%2Fagent%2Fv1%2Ftasks', { filters: { endpoint: '/agent/v1/tasks' } }],
  ['#days=28&sort=paid_calls&table=on', { sort: 'paid_calls', table: true }],
  ['#days=28&open=0194b3a0-0000-7000-8000-000000000999', { open: '0194b3a0-0000-7000-8000-000000000999' }],
])('%s is written and read the same', (hash, view) => {
  expect(hashOf({ ...DEFAULT_SETTINGS, ...view })).toBe(hash);
  expect(readHash(hash)).toEqual({ ...DEFAULT_SETTINGS, ...view });
});

it.each([
  '',
  '#main',
  '#days=366&theme=pink&status=lost&compare=yes&interval=year&basis=hope&sort=%3Cb%3E&open=1&table=1',
  '#month=2026-13',
  '#from=2026-02-01&to=2026-01-31',
  '#wallet=0x1&day=2026-02-31&q=%00&endpoint=',
])('takes the defaults for %p', (hash) => expect(readHash(hash)).toEqual(DEFAULT_SETTINGS));
