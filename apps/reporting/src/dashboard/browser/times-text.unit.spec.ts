import { clockText, dateText, durationText, elapsedMs, freshnessText, instantText } from './times-text';

const noon = '2026-01-31T12:00:00.000Z';

it('writes instants and dates as they are in UTC', () => {
  expect(clockText('2026-01-31T23:59:07.120Z')).toBe('23:59:07');
  expect(dateText('2026-01-02')).toBe('2 Jan 2026');
});

it('writes the year of an instant only when it is another one', () => {
  expect(instantText('2026-01-31T11:58:59.120Z', noon, 'second')).toBe('31 Jan 11:58:59');
  expect(instantText('2026-01-31T11:58:59.120Z', noon, 'minute')).toBe('31 Jan 11:58');
  expect(instantText('2025-12-31T11:58:59.120Z', noon, 'day')).toBe('31 Dec 2025');
  expect(instantText('2025-12-31T11:58:00.120Z', noon, 'second')).toBe('31 Dec 2025 11:58:00');
});

it.each([
  [0, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [86_400_000, '1 day'],
  [5 * 86_400_000, '5 days'],
])('writes %i ms as %p', (ms, text) => expect(durationText(ms)).toBe(text));

it('has no negative age: clocks of two machines differ', () => {
  expect(elapsedMs('2026-01-31T11:56:00.000Z', noon)).toBe(240_000);
  expect(elapsedMs('2026-01-31T12:00:00.500Z', noon)).toBe(0);
});

it('says when the numbers are from and how far behind the ledger', () => {
  expect(freshnessText('2026-01-31T14:02:07.000Z', 0.4)).toBe('as of 14:02:07 UTC, 0.4 s behind');
  expect(freshnessText('2026-01-31T14:02:07.000Z', 0)).toBe('as of 14:02:07 UTC, 0 s behind');
  expect(freshnessText('2026-01-31T14:02:07.000Z', 200)).toBe('as of 14:02:07 UTC, 3 min behind');
  expect(freshnessText('2026-01-31T14:02:07.000Z', 0.4, 42_000)).toBe('as of 14:02:07 UTC, 42 s old');
});
