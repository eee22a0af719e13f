import { changeOf, clockText, dateText, durationText, freshnessText, instantText, moneyText } from './text';

it.each([
  [112, 100, 'more', '↑ 12\u202f% more than yesterday'],
  [0, 100, 'less', '↓ 100\u202f% less than yesterday'],
  [100.4, 100, 'more', '↑ 0.4\u202f% more than yesterday'],
  [1_250, 100, 'more', '↑ 13 times yesterday'],
  [100, 100, 'same', 'the same as yesterday'],
  [5, 0, 'none', 'nothing to compare'],
])('%p after %p is %s: %s', (now, before, direction, text) =>
  expect(changeOf(now, before, 'yesterday')).toEqual({ direction, text }),
);

it.each([
  ['0.000000', '0.00'],
  ['45.800000', '45.80'],
  ['1234567.890000', '1\u202f234\u202f567.89'],
  ['-1234.500000', '\u22121\u202f234.50'],
  ['0.000400', '0.0004'],
  ['0.055000', '0.055'],
  ['-0.000400', '\u22120.0004'],
  ['0.363200', '0.36'],
])('shows enough digits of %s USD to be true: %s', (usd_exact, text) =>
  expect(moneyText({ usd: Math.round(Number(usd_exact) * 100) / 100, usd_exact })).toBe(text),
);

const noon = '2026-01-31T12:00:00.000Z';

it('writes instants and dates as they are in UTC, the year only when it is another one', () => {
  expect([clockText('2026-01-31T23:59:07.120Z'), dateText('2026-01-02')]).toEqual(['23:59:07', '2 Jan 2026']);
  expect(instantText('2026-01-31T11:58:59.120Z', noon, 'second')).toBe('31 Jan 11:58:59');
  expect(instantText('2026-01-31T11:58:59.120Z', noon, 'minute')).toBe('31 Jan 11:58');
  expect(instantText('2025-12-31T11:58:59.120Z', noon, 'day')).toBe('31 Dec 2025');
});

it.each([
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_600_000, '1 h'],
  [86_400_000, '1 day'],
  [5 * 86_400_000, '5 days'],
])('writes %i ms as %p', (ms, text) => expect(durationText(ms)).toBe(text));

it.each([
  [0.4, undefined, 'as of 14:02:07 UTC, 0.4 s behind'],
  [200, undefined, 'as of 14:02:07 UTC, 3 min behind'],
  [0.4, 42_000, 'as of 14:02:07 UTC, 42 s old'],
])('says when the numbers are from and how far behind the ledger: %p s, %p ms', (lag, ageMs, text) =>
  expect(freshnessText('2026-01-31T14:02:07.000Z', lag, ageMs)).toBe(text),
);
