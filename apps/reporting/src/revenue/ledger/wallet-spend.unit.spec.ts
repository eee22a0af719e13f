import { monthsTouchedBy, partsOf } from './wallet-spend';

const range = (from: string, to: string) => ({ from, to });

it.each([
  ['2026-01-01', '2026-01-31', ['2026-01-01'], []],
  ['2026-01-02', '2026-01-31', [], [range('2026-01-02', '2026-01-31')]],
  ['2026-01-31', '2026-01-31', [], [range('2026-01-31', '2026-01-31')]],
  ['2026-01-31', '2026-02-01', [], [range('2026-01-31', '2026-01-31'), range('2026-02-01', '2026-02-01')]],
  [
    ...['2025-11-15', '2026-02-10', ['2025-12-01', '2026-01-01']],
    ...[[range('2025-11-15', '2025-11-30'), range('2026-02-01', '2026-02-10')]],
  ],
  ['2024-02-01', '2024-03-31', ['2024-02-01', '2024-03-01'], []],
] as [string, string, string[], object[]][])('%s to %s are whole months and a rest', (from, to, months, rest) =>
  expect(partsOf({ from, to })).toEqual({ months, rest }),
);

it('touches a month with one of its days', () => {
  expect(monthsTouchedBy(range('2025-12-31', '2026-02-01'))).toEqual(['2025-12-01', '2026-01-01', '2026-02-01']);
  expect(monthsTouchedBy(range('2026-02-10', '2026-02-10'))).toEqual(['2026-02-01']);
});
