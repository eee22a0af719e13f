import { changeOf, countInWords, countText, moneyText, percentText } from './numbers-text';

it.each([
  [112, 100, 'more', '↑ 12\u202f% more than yesterday'],
  [88, 100, 'less', '↓ 12\u202f% less than yesterday'],
  [0, 100, 'less', '↓ 100\u202f% less than yesterday'],
  [100.4, 100, 'more', '↑ 0.4\u202f% more than yesterday'],
  [1_250, 100, 'more', '↑ 13 times yesterday'],
  [100, 100, 'same', 'the same as yesterday'],
  [5, 0, 'none', 'nothing to compare'],
  [5, undefined, 'none', 'nothing to compare'],
])('%p after %p is %s: %s', (now, before, direction, text) =>
  expect(changeOf(now, before, 'yesterday')).toEqual({ direction, text }),
);

it('omits the period when it is shown elsewhere', () => {
  expect([112, 100, 400].map((now) => changeOf(now, 100).text)).toEqual([
    '↑ 12\u202f% more',
    'the same',
    '↑ 4.0 times as much',
  ]);
});

it.each([
  [0, '0.00'],
  [0.05, '0.05'],
  [45.8, '45.80'],
  [999, '999.00'],
  [4302, '4\u202f302.00'],
  [1234567.89, '1\u202f234\u202f567.89'],
  [-1234.5, '\u22121\u202f234.50'],
])('writes %p USD as %p', (usd, text) => expect(moneyText({ usd, usd_exact: usd.toFixed(6) })).toBe(text));

it.each([
  ['0.000400', '0.0004'],
  ['0.002500', '0.0025'],
  ['0.055000', '0.055'],
  ['-0.000400', '\u22120.0004'],
  ['0.363200', '0.36'],
])('shows enough digits of %s USD to be true: %s', (usd_exact, text) =>
  expect(moneyText({ usd: Math.round(Number(usd_exact) * 100) / 100, usd_exact })).toBe(text),
);

it.each([
  [0, '0'],
  [4302, '4\u202f302'],
])('writes the count %p as %p', (count, text) => expect(countText(count)).toBe(text));

it('writes a dash where there is no value, and not zero', () => {
  expect([moneyText(undefined), countText(undefined)]).toEqual(['–', '–']);
});

it('writes counts in sentences as sentences do', () => expect(countInWords(1234567)).toBe('1,234,567'));

it('writes shares with one decimal', () => expect(percentText(44.95)).toBe('45.0\u202f%'));
