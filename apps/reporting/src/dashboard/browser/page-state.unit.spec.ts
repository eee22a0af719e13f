import { DEFAULT_SETTINGS, hashOf, readHash, Session, type PageSettings } from './page-state';

let kept: Map<string, string>;

const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
};

beforeEach(() => (kept = new Map()));

it('holds the token in memory alone', () => {
  const session = new Session(storage);
  session.open('a token', false);
  expect([session.token, kept.size]).toEqual(['a token', 0]);
  expect(new Session(storage).token).toBeUndefined();
});

it('keeps it for the tab where that is asked for, until it is closed', () => {
  const session = new Session(storage);
  session.open('a token', true);
  expect(new Session(storage).token).toBe('a token');
  session.close();
  expect([session.token, kept.size]).toEqual([undefined, 0]);
});

it.each<[string, Partial<PageSettings>]>([
  ['#days=30', {}],
  ['#days=7&compare=off', { days: 7, compare: false }],
  ['#days=365&theme=dark&status=needs_reconciliation', { days: 365, theme: 'dark', status: 'needs_reconciliation' }],
  ['#days=30&q=a+b&day=2026-02-28', { filters: { q: 'a b', day: '2026-02-28' } }],
  ['#days=30&endpoint=%2Fagent%2Fv1%2Ftasks', { filters: { endpoint: '/agent/v1/tasks' } }],
])('%s is written and read the same', (hash, view) => {
  expect(hashOf({ ...DEFAULT_SETTINGS, ...view })).toBe(hash);
  expect(readHash(hash)).toEqual({ ...DEFAULT_SETTINGS, ...view });
});

it.each([
  '',
  '#',
  '#main',
  '#days=31&theme=pink&status=lost&compare=yes',
  '#wallet=0x1&day=2026-02-31&q=%00&endpoint=',
])('takes the defaults for %p', (hash) => expect(readHash(hash)).toEqual(DEFAULT_SETTINGS));
