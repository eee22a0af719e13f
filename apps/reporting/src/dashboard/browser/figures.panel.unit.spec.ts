import { distinct } from './figures.panel';

it.each([
  ['today alone', ['2026-01-31 2026-01-31', '2026-01-31 2026-01-31', '2025-11-02 2026-01-31'], [0, 2]],
  [
    'a window before the first payment',
    ['2026-01-31 2026-01-31', '2025-02-01 2026-01-31', '2025-11-02 2026-01-31'],
    [0, 1],
  ],
  ['three periods', ['2026-01-31 2026-01-31', '2026-01-04 2026-01-31', '2025-11-02 2026-01-31'], [0, 1, 2]],
])('has no two cards of the same days: %s', (_what, spans, kept) => {
  const parts = spans.map((span, index) => ({ from: span.split(' ')[0]!, to: span.split(' ')[1]!, index }));
  expect(distinct(parts, '2025-11-02').map(({ index }) => index)).toEqual(kept);
});
