import { changeOf } from './change';

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

it('leaves the period out where it is said elsewhere', () => {
  expect([112, 100, 400].map((now) => changeOf(now, 100).text)).toEqual([
    '↑ 12\u202f% more',
    'the same',
    '↑ 4.0 times as much',
  ]);
});
