import { DEFAULT_VIEW, hashOf, readHash, type ViewSettings } from './view-settings';

it.each<[string, Partial<ViewSettings>]>([
  ['#days=30', {}],
  ['#days=7&compare=off', { days: 7, compare: false }],
  ['#days=365&theme=dark&status=needs_reconciliation', { days: 365, theme: 'dark', status: 'needs_reconciliation' }],
])('%s is written and read the same', (hash, view) => {
  expect(hashOf({ ...DEFAULT_VIEW, ...view })).toBe(hash);
  expect(readHash(hash)).toEqual({ ...DEFAULT_VIEW, ...view });
});

it.each(['', '#', '#main', '#days=31&theme=pink&status=lost&compare=yes'])('takes the defaults for %p', (hash) =>
  expect(readHash(hash)).toEqual(DEFAULT_VIEW),
);
